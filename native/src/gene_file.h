// Reads an adapter's GGUF from memory, checks all of it against the model, and makes a gene of it.
// Pure: fit for any thread.
#pragma once

#include <memory>
#include <string>

#include "coverage.h"
#include "gene.h"
#include "gene_layout.h"

namespace troupe {

// The gene's part that lies in stacks is on the host. Throws NotAGene, GeneTruncated, GeneUnfit.
std::unique_ptr<Gene> readGene(const GeneBytes& file, const std::string& architecture, const Coverage& coverage);

}  // namespace troupe
