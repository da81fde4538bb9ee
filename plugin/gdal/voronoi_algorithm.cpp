// Arguments have GDAL's names where GDAL has one, and the command's as an alias; the others are the command's.
#include "voronoi_algorithm.h"

#include <gdal_version.h>

#if GDAL_VERSION_NUM < GDAL_COMPUTE_VERSION(3, 11, 0)

void VoronoiDeclareAlgorithm() {}

#else

#include <cstring>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include <gdalalgorithm.h>

#include "voronoi_dataset.h"

extern "C" {
#include "job/raster/algorithm.h"
}

namespace {

struct GdalName {
  const char *option, *name;
  char letter;
};

// Of the command's options, those that have another name in GDAL's commands.
const GdalName gdal_names[] = {{"layer", "input-layer", 'l'},   {"oo", "open-option", '\0'},
                               {"res", "resolution", '\0'},     {"extent", "bbox", '\0'},
                               {"of", "output-format", 'f'},    {"ot", "output-data-type", '\0'},
                               {"co", "creation-option", '\0'}, {"nodata", "output-nodata", '\0'}};

// "k" is -k and --k.
char LetterOf(const gv_option *option) {
  return option->name[1] == '\0' ? option->name[0] : '\0';
}

const GdalName *GdalNameOf(const gv_option *option) {
  for (const GdalName &one : gdal_names)
    if (std::strcmp(one.option, option->name) == 0) return &one;
  return nullptr;
}

// An argument and its value: one of the members.
struct Argument {
  explicit Argument(const gv_option *of) : option(of) {}
  const gv_option *option;
  bool flag = false;
  int number = 0;
  std::string text;
  std::vector<std::string> list;
};

class VoronoiAlgorithm final : public GDALAlgorithm {
public:
  static constexpr const char *NAME = "voronoi";

  VoronoiAlgorithm() : GDALAlgorithm(NAME, "Nearest-seed (Voronoi) raster, with exact distances.", "") {
    m_longDescription = "Each cell of the output holds the id of its nearest seed. Seeds are points, lines or "
                        "polygons, or cells of a "
                        "raster: if the input is a raster, it is the --seeds-raster of the options. The results "
                        "are those of the command "
                        "gpuvoronoi; gpuvoronoi --help-all has the details of its options.";
    AddProgressArg();
    AddArg("input", 'i', "seeds: a vector source, or a raster with cells as seeds", &input,
           GDAL_OF_VECTOR | GDAL_OF_RASTER)
        .SetPositional()
        .SetRequired()
        .SetDatasetInputFlags(GADV_NAME)
        .SetAutoOpenDataset(false)
        .AddAlias("seeds");
    // A text, because GDAL deletes the old file of a dataset before the run, which may fail.
    AddArg("output", 'o', "raster of ids; optional if there are other outputs", &path).SetPositional();
    AddArg("output-dataset", '\0', "the raster of ids, opened", &output, GDAL_OF_RASTER)
        .SetIsInput(false)
        .SetIsOutput()
        .SetDatasetInputFlags(0)
        .SetDatasetOutputFlags(GADV_OBJECT)
        .SetHiddenForCLI();
    for (int i = 0; gv_algorithm_option(i) != nullptr; i++)
      if (std::strcmp(gv_algorithm_option(i)->name, "raster") != 0) Add(gv_algorithm_option(i));
  }

private:
  GDALArgDatasetValue input, output;
  std::string path;
  std::list<Argument> arguments; // GDAL has pointers to their members

  GDALInConstructionAlgorithmArg &AddTyped(Argument &a, const std::string &name, char letter);
  void Add(const gv_option *option);
  std::vector<gv_algorithm_value> Values();
  bool RunImpl(GDALProgressFunc progress, void *progress_user) override;
};

GDALInConstructionAlgorithmArg &VoronoiAlgorithm::AddTyped(Argument &a, const std::string &name, char letter) {
  const gv_option *o = a.option;
  char help[512];
  gv_option_describe(o, false, help, sizeof help);
  if (o->kind == GV_OPTION_FLAG) return AddArg(name, letter, help, &a.flag);
  if (o->kind == GV_OPTION_INT && o->low < o->high)
    return AddArg(name, letter, help, &a.number).SetMinValueIncluded(o->low).SetMaxValueIncluded(o->high);
  if (o->several) return AddArg(name, letter, help, &a.list).SetPackedValuesAllowed(false);
  if (o->numbers > 1)
    return AddArg(name, letter, help, &a.list).SetRepeatedArgAllowed(false).SetDisplayHintAboutRepetition(false);
  GDALInConstructionAlgorithmArg &added = AddArg(name, letter, help, &a.text);
  std::vector<std::string> choices;
  for (const gv_choice *c = o->choices; c != nullptr && c->name != nullptr; c++)
    choices.emplace_back(c->name);
  if (!choices.empty()) added.SetChoices(choices);
  return added;
}

void VoronoiAlgorithm::Add(const gv_option *option) {
  const GdalName *gdal = GdalNameOf(option);
  arguments.emplace_back(option);
  GDALInConstructionAlgorithmArg &added = AddTyped(arguments.back(), gdal != nullptr ? gdal->name : option->name,
                                                   gdal != nullptr ? gdal->letter : LetterOf(option));
  if (gdal != nullptr) added.AddAlias(option->name);
  if (option->metavar != nullptr) added.SetMetaVar(option->metavar);
  if (option->rare) added.SetCategory(GAAC_ADVANCED);
}

// Those that are given; they borrow from the arguments.
std::vector<gv_algorithm_value> VoronoiAlgorithm::Values() {
  std::vector<gv_algorithm_value> values;
  for (Argument &a : arguments) {
    const gv_option *o = a.option;
    const GdalName *gdal = GdalNameOf(o);
    if (!GetArg(gdal != nullptr ? gdal->name : o->name)->IsExplicitlySet()) continue;
    if (o->kind == GV_OPTION_FLAG) {
      if (a.flag) values.push_back({o, nullptr});
      continue;
    }
    if (o->several) {
      for (const std::string &one : a.list)
        values.push_back({o, one.c_str()});
      continue;
    }
    if (o->numbers > 1) {
      a.text.clear();
      for (const std::string &one : a.list)
        a.text += (a.text.empty() ? "" : ",") + one;
    } else if (o->kind == GV_OPTION_INT && o->low < o->high) {
      a.text = std::to_string(a.number);
    }
    values.push_back({o, a.text.c_str()});
  }
  return values;
}

struct Progress {
  GDALProgressFunc function;
  void *user;
};

int ReportProgress(double fraction, void *user) {
  const auto *progress = static_cast<const Progress *>(user);
  return progress->function(fraction, "", progress->user);
}

bool VoronoiAlgorithm::RunImpl(GDALProgressFunc function, void *user) {
  std::vector<gv_algorithm_value> values = Values();
  int last = 0;
  while (gv_algorithm_option(last + 1) != nullptr)
    last++;
  const bool has_output = GetArg("output")->IsExplicitlySet();
  if (has_output) values.push_back({gv_algorithm_option(last), path.c_str()});
  Progress progress = {function, user};
  bool done = VoronoiCall([&](gv_io *io) {
    return gv_algorithm_run(io, input.GetName().c_str(), values.data(), values.size(),
                            function != nullptr ? ReportProgress : nullptr, &progress);
  });
  // GDAL's habit: the dataset is a result.
  std::unique_ptr<GDALDataset> made(done && has_output ? GDALDataset::Open(path.c_str(), GDAL_OF_RASTER) : nullptr);
  if (made != nullptr) output.Set(std::move(made));
  return done;
}

} // namespace

void VoronoiDeclareAlgorithm() {
  auto &registry = GDALGlobalAlgorithmRegistry::GetSingleton();
  const std::vector<std::string> path = {"raster", VoronoiAlgorithm::NAME};
  if (registry.HasDeclaredSubAlgorithm(path)) return;
  registry.DeclareAlgorithm(path, [] { return std::make_unique<VoronoiAlgorithm>(); });
}

#endif
