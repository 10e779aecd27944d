// The weights of one model, shared by every thread of the process and freed with the last handle.
// Thread-safe: immutable once loaded; `load`, `attach` and the counts may be called on any thread.
#pragma once

#include <llama.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "shelf.h"
#include "vocabulary.h"

namespace troupe {

struct LoadOptions {
  std::string path;
  bool mmap = false;
  int32_t gpuLayers = 0;
  // Genes' factors in stacks for all weights, and not only for those outside of host memory.
  bool allStacks = false;
  // Called on the loading thread; false cancels. May be empty.
  std::function<bool(float)> onProgress;
};

class Model {
 public:
  // Throws as readHeader, and Aborted.
  static std::shared_ptr<const Model> load(const LoadOptions& options);
  // The loaded model of that id, or nothing.
  static std::shared_ptr<const Model> attach(uint64_t id);
  static int64_t live();

  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  uint64_t id() const { return id_; }
  const std::string& path() const { return path_; }
  bool offloads() const { return offloads_; }
  // Of the file that was loaded, as modelContent has it.
  const std::string& content() const { return content_; }
  const Vocabulary& vocabulary() const { return vocabulary_; }
  // Its genes come and go while the weights stay as they are.
  Shelf& genes() const { return *genes_; }
  std::string architecture() const;
  std::string description() const;
  // llama.cpp wants a mutable pointer to make a context, and changes nothing in it.
  llama_model* get() const { return model_.get(); }

 private:
  struct Free {
    void operator()(llama_model* model) const { llama_model_free(model); }
  };
  using Pointer = std::unique_ptr<llama_model, Free>;

  Model(Pointer model, uint64_t id, std::string content, const LoadOptions& options);

  Pointer model_;
  uint64_t id_;
  std::string path_;
  std::string content_;
  bool offloads_;
  Vocabulary vocabulary_;
  std::unique_ptr<Shelf> genes_;
};

}  // namespace troupe
