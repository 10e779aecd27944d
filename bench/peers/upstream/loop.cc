// llama.cpp as it is, in a bare loop: all lanes' next tokens through `llama_decode` again and again, no sampling, under
// adapters that are set once for the whole context, which is all that upstream offers.
//
// loop MODEL LANES CELLS ROWS THREADS FLASH_ATTENTION PROMPT [ADAPTER SCALE]...
// Prints `ready`, then after each step a line of milliseconds on the monotonic clock, tokens so far and microseconds of
// processor time. On SIGTERM it prints `held` and the tokens that each lane holds, and ends.
// Not for anything that ends by itself or says something.
#include <llama.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

namespace {

volatile std::sig_atomic_t asked = 0;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "upstream's loop: %s\n", what);
  std::exit(1);
}

double now(clockid_t clock, double unit) {
  timespec time;
  clock_gettime(clock, &time);
  return (static_cast<double>(time.tv_sec) + time.tv_nsec * 1e-9) * unit;
}

void put(llama_batch& batch, llama_token token, int lane, int position, bool output) {
  const int row = batch.n_tokens++;
  batch.token[row] = token;
  batch.pos[row] = position;
  batch.n_seq_id[row] = 1;
  batch.seq_id[row][0] = lane;
  batch.logits[row] = output;
}

void decode(llama_context* context, llama_batch& batch) {
  if (llama_decode(context, batch) != 0) fail("a step failed");
  batch.n_tokens = 0;
}

std::vector<llama_token> tokens(const llama_model* model, const char* text) {
  const llama_vocab* vocabulary = llama_model_get_vocab(model);
  const auto length = static_cast<int32_t>(std::strlen(text));
  std::vector<llama_token> found(length + 1);
  const int32_t count = llama_tokenize(vocabulary, text, length, found.data(), length + 1, false, true);
  if (count < 0) fail("the prompt cannot be tokenised");
  found.resize(count);
  return found;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 8 || count % 2 != 0) fail("wrong arguments");
  const int lanes = std::atoi(arguments[2]);
  const int rows = std::atoi(arguments[4]);
  std::signal(SIGTERM, [](int) { asked = 1; });
  llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);

  llama_model_params forModel = llama_model_default_params();
  forModel.n_gpu_layers = 0;
  forModel.load_mode = LLAMA_LOAD_MODE_NONE;
  llama_model* model = llama_model_load_from_file(arguments[1], forModel);
  if (!model) fail("the model cannot be loaded");

  llama_context_params params = llama_context_default_params();
  params.n_ctx = std::atoi(arguments[3]);
  params.n_batch = rows;
  params.n_ubatch = rows;
  params.n_seq_max = lanes;
  params.n_outputs_max = lanes;
  params.n_threads = std::atoi(arguments[5]);
  params.n_threads_batch = params.n_threads;
  params.flash_attn_type =
      std::atoi(arguments[6]) ? LLAMA_FLASH_ATTN_TYPE_ENABLED : LLAMA_FLASH_ATTN_TYPE_DISABLED;
  params.no_perf = true;
  params.kv_unified = true;
  params.swa_full = true;
  llama_context* context = llama_init_from_model(model, params);
  if (!context) fail("no context can be made");

  std::vector<llama_adapter_lora*> adapters;
  std::vector<float> scales;
  for (int i = 8; i < count; i += 2) {
    adapters.push_back(llama_adapter_lora_init(model, arguments[i]));
    if (!adapters.back()) fail("an adapter cannot be loaded");
    scales.push_back(std::strtof(arguments[i + 1], nullptr));
  }
  if (!adapters.empty() && llama_set_adapters_lora(context, adapters.data(), adapters.size(), scales.data()) != 0) {
    fail("the adapters cannot be set");
  }

  llama_batch batch = llama_batch_init(rows, 0, 1);
  batch.n_tokens = 0;
  const std::vector<llama_token> prompt = tokens(model, arguments[7]);
  for (int lane = 0; lane < lanes; lane++) {
    for (size_t at = 0; at < prompt.size(); at++) {
      put(batch, prompt[at], lane, static_cast<int>(at), false);
      if (batch.n_tokens == rows) decode(context, batch);
    }
    if (batch.n_tokens > 0) decode(context, batch);
  }
  std::puts("ready");
  std::fflush(stdout);

  uint32_t token = 0;
  int64_t done = 0;
  for (int position = static_cast<int>(prompt.size()); !asked; position++) {
    for (int lane = 0; lane < lanes; lane++) {
      token = (token * 1103515245u + 12345u) & 0xfff;
      put(batch, static_cast<llama_token>(token), lane, position, true);
    }
    decode(context, batch);
    done += lanes;
    std::printf("%.3f %lld %.0f\n", now(CLOCK_MONOTONIC, 1e3), static_cast<long long>(done),
                now(CLOCK_PROCESS_CPUTIME_ID, 1e6));
    std::fflush(stdout);
  }
  std::printf("held");
  for (int lane = 0; lane < lanes; lane++) {
    std::printf(" %d", llama_memory_seq_pos_max(llama_get_memory(context), lane) + 1 - static_cast<int>(prompt.size()));
  }
  std::puts("");
  llama_batch_free(batch);
  llama_free(context);
  llama_model_free(model);
}
