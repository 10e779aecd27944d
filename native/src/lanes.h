// One llama.cpp context whose sequences are lanes over one store of KV cells, and one sampler a lane.
// Not thread-safe: it belongs to the thread that made it. Only the abort flag may be set from elsewhere.
#pragma once

#include <llama.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bank.h"
#include "memory.h"
#include "model.h"
#include "new_context.h"
#include "paging.h"
#include "rows.h"
#include "sampler.h"

namespace troupe {

enum class StepStatus : int32_t { ok = 0, noRoom = 1, aborted = 2, failed = -1 };

class Lanes {
 public:
  // Throws BadArgument, NativeFailure.
  Lanes(std::shared_ptr<const Model> model, const LanesOptions& options);
  ~Lanes();
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;

  static int64_t live();

  int32_t lanes() const { return options_.lanes; }
  int32_t cells() const { return options_.cells; }
  int32_t rows() const { return options_.rows; }
  int32_t vocabulary() const { return model_->vocabulary().size(); }

  // Decodes the rows and samples where they ask for it. On any status but ok nothing was sampled, and the lanes
  // may hold part of the step. Throws BadArgument before anything is done.
  StepStatus step(const Row* rows, size_t count, int32_t* sampled, size_t sampledLength);
  // Why the last step that was not ok was not.
  const std::string& failure() const { return failure_; }

  // Logits of the i-th output of the last step. Throws BadArgument.
  float* output(int64_t index) const;

  void setSampler(int32_t lane, const SamplerOptions& options, std::vector<int32_t> produced);
  // What the lane's rows run from now on, those before position `from` excepted: ids of genes of the model, and their
  // scales. Throws BadArgument, GeneAbsent.
  void setGenes(int32_t lane, const std::vector<std::pair<uint64_t, float>>& genes, int32_t from);
  // False: what lies before that position cannot be gone on from; nothing has changed.
  bool cut(int32_t lane, int32_t from);
  // An empty lane gets the cells of another one's first tokens; a cell is freed when no lane holds it any more. False as
  // for `cut`. Throws BadArgument, ModelUnsupported.
  bool share(int32_t from, int32_t to, int32_t tokens);
  void clear(int32_t lane);
  int32_t length(int32_t lane) const;
  std::vector<BufferBytes> memory() const;

  const std::string& fingerprint() const { return paging_.fingerprint(); }
  // What `pageOut` charges. Throws EmptyLane, ModelUnsupported.
  uint64_t pageBytes(int32_t lane, const std::vector<GivenSection>& given) const;
  // The page's id; the lane is empty then. Throws as pageBytes, OverCeiling, NativeFailure; the lane is then as it was.
  uint64_t pageOut(int32_t lane, const std::vector<GivenSection>& given);
  // Has what `pageOut` would make read piece by piece, in memory of so many bytes; in place of any that is read so already.
  // The window goes when its lane changes. Throws as pageBytes, BadArgument, NativeFailure.
  const LaneWindow& openWindow(int32_t lane, const std::vector<GivenSection>& given, uint64_t bytes);
  // Throws BadArgument, also where there is no window any more.
  void fillWindow(int32_t section, uint64_t offset, uint64_t length);
  void closeWindow() { window_.reset(); }
  // Into an empty lane, which is empty still when it throws. Throws BadArgument, NoSuchPage and as Paging::pageIn.
  void pageIn(int32_t lane, uint64_t page);
  // Null: there is none of this state.
  const Checkpoint* checkpoint(int32_t lane);
  std::optional<int32_t> restoreCheckpoint(int32_t lane, int32_t position);
  const std::vector<Checkpoint>& checkpoints(int32_t lane) const;
  void setCheckpointBudget(uint64_t bytes) { paging_.setCheckpointBudget(bytes); }
  CheckpointCounts checkpointCounts() const { return paging_.checkpointCounts(); }
  const std::vector<EvictedCheckpoint>& evictedCheckpoints() const { return paging_.evictedCheckpoints(); }
  // Steps that used the graph of the step before them, of all so far.
  int32_t reused() const;

 private:
  void checkLane(int32_t lane, const char* name = "lane") const;
  void checkHolds(int32_t lane) const;
  void hold(int32_t lane, int32_t tokens);
  void changes(int32_t lane);
  bool goesOnFrom(int32_t lane, int32_t position) const;
  StepStatus decode();
  bool sample(const Row* rows, size_t count, int32_t* sampled);
  void refreshLengths();

  std::shared_ptr<const Model> model_;
  LanesOptions options_;
  // Before the context, so that they outlive it.
  ThreadPool pool_;
  Bank bank_;
  Context context_;
  Paging paging_;
  // After what it reads from.
  std::unique_ptr<LaneWindow> window_;
  Batch batch_;
  std::vector<int32_t> lengths_;
  std::vector<std::optional<Sampler>> samplers_;
  SamplerScratch scratch_;
  std::vector<int32_t> outputs_;
  std::string failure_;
};

}  // namespace troupe
