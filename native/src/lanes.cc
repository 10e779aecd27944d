#include "lanes.h"

#include <algorithm>
#include <atomic>

#include "failure.h"
#include "log_tail.h"

namespace troupe {
namespace {

std::atomic<int64_t> liveLanes{0};

}  // namespace

int64_t Lanes::live() { return liveLanes; }

Lanes::Lanes(std::shared_ptr<const Model> model, const LanesOptions& options)
    : model_(std::move(model)),
      options_(options),
      pool_(newThreadPool(std::max(options.threads, options.promptThreads))),
      bank_(model_->genes(), options.lanes),
      context_(newContext(*model_, options, bank_)),
      paging_(llama_get_memory(context_.get()), options.lanes, pageFields(*model_, options), model_->path()),
      batch_({options.rows, options.lanes, model_->vocabulary().size()}),
      lengths_(options.lanes, 0),
      samplers_(options.lanes) {
  options_.cells = roundedCells(options.cells);
  llama_attach_threadpool(context_.get(), pool_.get(), pool_.get());
  liveLanes++;
}

Lanes::~Lanes() { liveLanes--; }

StepStatus Lanes::step(const Row* rows, size_t count, int32_t* sampled, size_t sampledLength) {
  outputs_.clear();
  batch_.fill(rows, count, lengths_);
  if (sampledLength < batch_.samples()) {
    throw badArgument("sampled.length", static_cast<double>(sampledLength),
                      "at least " + std::to_string(batch_.samples()));
  }
  for (size_t i = 0; i < count; i++) {
    if (rows[i].output == kSampleOutput && !samplers_[rows[i].lane]) {
      throw badArgument("rows[" + std::to_string(i) + "].lane", static_cast<double>(rows[i].lane),
                        "a lane with a sampler");
    }
  }

  clearLogTail();
  const StepStatus status = decode();
  bank_.finish();
  if (status != StepStatus::ok) {
    refreshLengths();
    return status;
  }
  for (size_t i = 0; i < count; i++) {
    lengths_[rows[i].lane]++;
    changes(rows[i].lane);
  }
  outputs_ = batch_.outputs();
  if (!sample(rows, count, sampled)) {
    outputs_.clear();
    failure_ = "the model answered with no number";
    return StepStatus::failed;
  }
  return StepStatus::ok;
}

StepStatus Lanes::decode() {
  bank_.expect(lengths_);
  // llama.cpp itself takes any step of two rows for a prompt.
  const int32_t threads = batch_.hasPrompt() ? options_.promptThreads : options_.threads;
  llama_set_n_threads(context_.get(), threads, threads);
  try {
    const int32_t answer = llama_decode(context_.get(), batch_.view());
    llama_synchronize(context_.get());
    if (answer == 0) return StepStatus::ok;
    failure_ = logTail("llama.cpp answered " + std::to_string(answer));
    if (answer == 1) return StepStatus::noRoom;
    if (answer == 2) return StepStatus::aborted;
  } catch (const std::exception& error) {
    failure_ = error.what();
  }
  return StepStatus::failed;
}

// First all are chosen, then all accepted: a step that fails has sampled nothing.
bool Lanes::sample(const Row* rows, size_t count, int32_t* sampled) {
  size_t done = 0;
  for (size_t i = 0; i < count; i++) {
    if (rows[i].output != kSampleOutput) continue;
    float* logits = llama_get_logits_ith(context_.get(), static_cast<int32_t>(i));
    const int32_t token = logits == nullptr ? -1 : samplers_[rows[i].lane]->choose(logits, vocabulary(), scratch_);
    if (token < 0) return false;
    sampled[done++] = token;
  }
  done = 0;
  for (size_t i = 0; i < count; i++) {
    if (rows[i].output == kSampleOutput) samplers_[rows[i].lane]->accept(sampled[done++]);
  }
  return true;
}

float* Lanes::output(int64_t index) const {
  if (index < 0 || index >= static_cast<int64_t>(outputs_.size())) {
    throw badArgument("output", static_cast<double>(index),
                      outputs_.empty() ? "a step with outputs before it" : "0 to " + std::to_string(outputs_.size() - 1));
  }
  float* logits = llama_get_logits_ith(context_.get(), outputs_[index]);
  if (logits == nullptr) throw nativeFailure("logits", logTail("llama.cpp has none"));
  return logits;
}

void Lanes::checkLane(int32_t lane, const char* name) const {
  if (lane < 0 || lane >= options_.lanes) {
    throw badArgument(name, static_cast<double>(lane), "0 to " + std::to_string(options_.lanes - 1));
  }
}

void Lanes::setSampler(int32_t lane, const SamplerOptions& options, std::vector<int32_t> produced) {
  checkLane(lane);
  for (size_t i = 0; i < produced.size(); i++) {
    if (!model_->vocabulary().contains(produced[i])) {
      throw badArgument("produced[" + std::to_string(i) + "]", static_cast<double>(produced[i]),
                        "0 to " + std::to_string(vocabulary() - 1));
    }
  }
  samplers_[lane].emplace(options, std::move(produced));
}

void Lanes::setGenes(int32_t lane, const std::vector<std::pair<uint64_t, float>>& genes, int32_t from) {
  checkLane(lane);
  bank_.set(lane, genes, from);
}

bool Lanes::cut(int32_t lane, int32_t from) {
  checkLane(lane);
  if (from < 0 || from > lengths_[lane]) {
    throw badArgument("from", static_cast<double>(from), "0 to " + std::to_string(lengths_[lane]));
  }
  if (from == lengths_[lane]) return true;
  if (!goesOnFrom(lane, from)) return false;
  if (!llama_memory_seq_rm(llama_get_memory(context_.get()), lane, from, -1)) return false;
  hold(lane, from);
  return true;
}

// llama.cpp gives the cells of tokens that a sliding window has passed to others, oldest first: a lane goes on only from
// a position whose whole window it still holds.
bool Lanes::goesOnFrom(int32_t lane, int32_t position) const {
  const int32_t window = llama_model_n_swa(model_->get());
  if (window == 0 || position == 0) return true;
  return llama_memory_seq_pos_min(llama_get_memory(context_.get()), lane) <= std::max(0, position - window);
}

bool Lanes::share(int32_t from, int32_t to, int32_t tokens) {
  checkLane(from, "from");
  checkLane(to, "to");
  if (from == to) throw badArgument("to", static_cast<double>(to), "another lane than the one shared from");
  if (lengths_[to] != 0) throw badArgument("to", static_cast<double>(to), "an empty lane");
  if (tokens < 1 || tokens > lengths_[from]) {
    throw badArgument("tokens", static_cast<double>(tokens), "1 to the " + std::to_string(lengths_[from]) + " of lane " + std::to_string(from));
  }
  if (llama_model_is_recurrent(model_->get()) || llama_model_is_hybrid(model_->get())) {
    throw Failure("ModelUnsupported", {{"path", model_->path()}, {"reason", std::string("its lanes keep a state that cannot be shared in part")}});
  }
  if (!goesOnFrom(from, tokens)) return false;
  llama_memory_seq_cp(llama_get_memory(context_.get()), from, to, 0, tokens);
  lengths_[to] = tokens;
  return true;
}

void Lanes::clear(int32_t lane) {
  checkLane(lane);
  llama_memory_seq_rm(llama_get_memory(context_.get()), lane, -1, -1);
  hold(lane, 0);
}

void Lanes::hold(int32_t lane, int32_t tokens) {
  if (lengths_[lane] != tokens) changes(lane);
  lengths_[lane] = tokens;
  paging_.keepUpTo(lane, tokens);
}

void Lanes::changes(int32_t lane) {
  if (window_ && window_->lane() == lane) window_.reset();
}

int32_t Lanes::length(int32_t lane) const {
  checkLane(lane);
  return lengths_[lane];
}

std::vector<BufferBytes> Lanes::memory() const { return memoryOf(context_.get(), options_.lanes); }

int32_t Lanes::reused() const { return llama_perf_context(context_.get()).n_reused; }

void Lanes::refreshLengths() {
  const llama_memory_t memory = llama_get_memory(context_.get());
  for (int32_t lane = 0; lane < options_.lanes; lane++) {
    hold(lane, llama_memory_seq_pos_max(memory, lane) + 1);
  }
}

}  // namespace troupe
