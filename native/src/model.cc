#include "model.h"

#include <map>
#include <mutex>

#include "failure.h"
#include "fingerprint.h"
#include "header.h"
#include "huge_pages.h"
#include "log_tail.h"

namespace troupe {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<uint64_t, std::weak_ptr<const Model>> models;
  uint64_t lastId = 0;
};

// Never destroyed: threads may still close models while the process ends.
Registry& registry() {
  static Registry& shared = *std::make_unique<Registry>().release();
  return shared;
}

std::string metadata(const llama_model* model, const char* key) {
  std::string text(256, '\0');
  const int32_t length = llama_model_meta_val_str(model, key, text.data(), text.size());
  text.resize(length < 0 ? 0 : std::min<size_t>(length, text.size() - 1));
  return text;
}

StackedWeights stackedWeights(const LoadOptions& options) {
  if (options.allStacks) return StackedWeights::all;
  return options.gpuLayers == 0 ? StackedWeights::none : StackedWeights::elsewhere;
}

struct Progress {
  const std::function<bool(float)>& call;
  bool cancelled = false;
};

bool onProgress(float fraction, void* data) {
  auto& progress = *static_cast<Progress*>(data);
  if (progress.call && !progress.call(fraction)) progress.cancelled = true;
  return !progress.cancelled;
}

}  // namespace

std::shared_ptr<const Model> Model::load(const LoadOptions& options) {
  readHeader(options.path);

  Progress progress{options.onProgress};
  ggml_backend_dev_t noDevices[] = {nullptr};
  llama_model_params params = llama_model_default_params();
  params.n_gpu_layers = options.gpuLayers;
  if (options.gpuLayers == 0) params.devices = noDevices;
  params.load_mode = options.mmap ? LLAMA_LOAD_MODE_MMAP : LLAMA_LOAD_MODE_NONE;
  params.progress_callback = onProgress;
  params.progress_callback_user_data = &progress;

  clearLogTail();
  Pointer model(llama_model_load_from_file(options.path.c_str(), params));
  if (progress.cancelled) throw Failure("Aborted", {{"what", "loading " + options.path}});
  if (!model) throw Failure("ModelUnsupported", {{"path", options.path}, {"reason", logTail("llama.cpp refused it")}});

  intoHugePages(model.get());
  std::string content = modelContent(options.path);

  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  std::shared_ptr<const Model> shared(new Model(std::move(model), ++all.lastId, std::move(content), options));
  all.models[shared->id()] = shared;
  return shared;
}

std::shared_ptr<const Model> Model::attach(uint64_t id) {
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  const auto found = all.models.find(id);
  return found == all.models.end() ? nullptr : found->second.lock();
}

int64_t Model::live() {
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  return static_cast<int64_t>(all.models.size());
}

Model::Model(Pointer model, uint64_t id, std::string content, const LoadOptions& options)
    : model_(std::move(model)),
      id_(id),
      path_(options.path),
      content_(std::move(content)),
      offloads_(options.gpuLayers != 0),
      vocabulary_(llama_model_get_vocab(model_.get())),
      genes_(std::make_unique<Shelf>(model_.get(), architecture(), stackedWeights(options))) {}

Model::~Model() {
  genes_.reset();
  model_.reset();
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  all.models.erase(id_);
}

std::string Model::architecture() const { return metadata(model_.get(), "general.architecture"); }

std::string Model::description() const {
  std::string text(256, '\0');
  const int32_t length = llama_model_desc(model_.get(), text.data(), text.size());
  text.resize(length < 0 ? 0 : std::min<size_t>(length, text.size() - 1));
  return text;
}

}  // namespace troupe
