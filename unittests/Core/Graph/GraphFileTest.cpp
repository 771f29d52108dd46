//===- GraphFileTest.cpp - graphs and profiles as JSON --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Graph/GraphFile.h"
#include "ASTFE/Core/Graph/Fuse.h"
#include "ASTFE/Core/Profile/ProfileFile.h"
#include "ASTFE/Core/Support/FileText.h"
#include "Samples.h"
#include <filesystem>
#include <fstream>

using namespace astfe::core;
namespace fs = std::filesystem;

namespace {

/// A folder of its own, removed at the end.
class Folder {
public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "astfe.XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path); }
  std::string file(const char *name) const { return (path / name).string(); }
  size_t entries() const {
    return size_t(std::distance(fs::directory_iterator(path), {}));
  }

private:
  fs::path path;
};

/// Two parts, a permutation and groups: everything that the format can hold.
Graph richGraph() {
  Graph graph;
  graph.space.shape = {8, 4};
  graph.space.permutations = {{}, {3, 2, 1, 0}};
  graph.space.parts = {{{0, 0}, {2, 4}, OrderKind::Rows},
                       {{2, 0}, {6, 4}, OrderKind::Panels, 1}};
  graph.part = {0, 1, 1};
  graph.length = {1, 2, 2};
  graph.prefix = {uint64_t(1) << 63, 0, uint64_t(2) << 62};
  graph.nonzeros = {3, int64_t(1) << 40, 0};
  graph.groups = {0, 1, 3};
  graph.limit = 4096;
  graph.threshold = 0.66;
  return graph;
}

std::string replaced(std::string text, const std::string &from,
                     const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from << " is not in\n" << text;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

const char *const kGraph = R"({
  "version": 1,
  "shape": [4, 4],
  "order": "hilbert",
  "parts": [{"origin": [0, 0], "extents": [4, 4], "order": "hilbert"}],
  "permutations": [null, null],
  "threshold": "auto",
  "limit": 7,
  "blocks": [
    [0, 2, "0", 5, [0, 0], [1, 1]],
    [0, 4, "6", 2, [1, 3], [0, 0]]
  ],
  "groups": [0, 1, 2]
}
)";

const char *const kProfile = R"({
  "version": 1,
  "shape": [4, 4],
  "order": "rows",
  "parts": [{"origin": [0, 0], "extents": [4, 4], "order": "rows"}],
  "permutations": [null, null],
  "kernel": "spmm",
  "target": "",
  "fingerprint": "8000000000000001",
  "bins": [
    [0, 2, "1", 5, 100, null],
    [0, 4, "f", 2, null, null]
  ]
}
)";

} // namespace

TEST(GraphFile, PrintsForPeople) {
  Result<Graph> read = parseGraph(kGraph, "g.json");
  ASSERT_TRUE(read) << read.message();
  const Graph &graph = *read;
  EXPECT_EQ(toJson(graph), kGraph);
  EXPECT_EQ(graph.block(1).str(), "0110");
  Result<Profile> profileRead = parseProfile(kProfile, "p.json");
  ASSERT_TRUE(profileRead) << profileRead.message();
  const Profile &profile = *profileRead;
  EXPECT_EQ(toJson(profile), kProfile);
  EXPECT_EQ(profile.cycles, (std::vector<int64_t>{100, -1}));
  EXPECT_TRUE(profile.bytes.empty());
  EXPECT_EQ(profile.fingerprint, (uint64_t(1) << 63) + 1);
}

TEST(GraphFile, RoundTripsGraphs) {
  Graph rich = richGraph();
  ASSERT_TRUE(rich.check()) << rich.check().message();
  std::vector<Edge> edges{{0, 1, 0, 8}, {1, 2, 1, 9}};
  for (const std::string &text :
       {toJson(rich), toJson(rich, {0, 5, 3 + (int64_t(1) << 40)}, edges)}) {
    Result<Graph> read = parseGraph(text, "g.json");
    ASSERT_TRUE(read) << read.message();
    EXPECT_EQ(*read, rich);
  }
  forAllSamples([](const Sample &sample, OrderKind kind) {
    Profile profile = sample.profile(kind, 4);
    Graph graph = *fuse(*partition(profile, {4, 1}), profile);
    Result<Graph> read = parseGraph(toJson(graph), "g.json");
    ASSERT_TRUE(read) << read.message();
    EXPECT_EQ(*read, graph);
  });
}

TEST(GraphFile, RoundTripsProfiles) {
  forAllSamples([](const Sample &sample, OrderKind kind) {
    Profile profile = sample.profile(kind, 4);
    profile.kernel = "a \"name\"\n";
    for (size_t i = 0; i < profile.size(); ++i)
      profile.bytes.push_back(i % 2 ? -1 : int64_t(i) << 35);
    Result<Profile> read = parseProfile(toJson(profile), "p.json");
    ASSERT_TRUE(read) << read.message();
    EXPECT_EQ(read->space, profile.space);
    EXPECT_EQ(read->kernel, profile.kernel);
    EXPECT_EQ(read->fingerprint, profile.fingerprint);
    EXPECT_EQ(read->part, profile.part);
    EXPECT_EQ(read->length, profile.length);
    EXPECT_EQ(read->prefix, profile.prefix);
    EXPECT_EQ(read->nonzeros, profile.nonzeros);
    EXPECT_EQ(read->bytes, profile.bytes);
    EXPECT_TRUE(read->check());
  });
}

TEST(GraphFile, ErrorsNameFileAndField) {
  const struct {
    const char *from, *to, *message;
  } cases[] = {
      {"\"version\": 1", "\"version\": 2",
       "g.json: version: expected an integer in 1..1 but got 2"},
      {"\"version\": 1,", "",
       "g.json: version: expected this field but there is none"},
      {"\"version\"", "\"colour\": 1, \"version\"",
       "g.json: expected no field 'colour'"},
      {"\"shape\": [4, 4]", "\"shape\": [4, -4]",
       "g.json: shape[1]: expected an integer in 0..4611686018427387904 but "
       "got -4"},
      {"\"shape\": [4, 4]", "\"shape\": []",
       "g.json: shape: expected 1 to 8 modes but got 0"},
      {"\"shape\": [4, 4]", "\"shape\": 4",
       "g.json: shape: expected an array but got 4"},
      {"\"order\": \"hilbert\",\n", "\"order\": \"peano\",\n",
       "g.json: order: expected rows, morton, hilbert or panels but got "
       "\"peano\""},
      {"\"order\": \"hilbert\",\n", "\"order\": \"rows\",\n",
       "g.json: order: expected that of the last part, \"hilbert\", but got "
       "\"rows\""},
      {"\"origin\": [0, 0]", "\"origin\": [0]",
       "g.json: parts[0].origin: expected 2 entries but got 1"},
      {"\"extents\": [4, 4]", "\"extents\": [4, \"4\"]",
       "g.json: parts[0].extents[1]: expected an integer in "
       "0..4611686018427387904 but got \"4\""},
      {"\"extents\": [4, 4]", "\"extents\": [4, 3]",
       "g.json: parts: expected "},
      {"[null, null]", "[null]",
       "g.json: permutations: expected 2 entries but got 1"},
      {"[null, null]", "[null, [0, 1, 2, 2]]",
       "g.json: permutations: permutation of mode 1: expected each index once "
       "but got 2 twice"},
      {"\"auto\"", "0.5",
       "g.json: threshold: expected \"auto\" or a number between 0.5 and 1 but "
       "got 0.5"},
      {"\"auto\"", "\"often\"",
       "g.json: threshold: expected \"auto\" or a number between 0.5 and 1 but "
       "got \"often\""},
      {"\"auto\"", "null", "g.json: threshold: expected a number but got null"},
      {"\"limit\": 7", "\"limit\": 7.5",
       "g.json: limit: expected an integer from 0 but got 7.5"},
      {"\"limit\": 7", "\"limit\": 18446744073709551615",
       "g.json: limit: expected an integer from 0 but got "
       "18446744073709551615"},
      {"[0, 2, \"0\", 5, ", "[1, 2, \"0\", 5, ",
       "g.json: blocks[0][0]: expected an integer in 0..0 but got 1"},
      {"[0, 2, \"0\", 5, ", "[0, 5, \"0\", 5, ",
       "g.json: blocks[0][1]: expected an integer in 0..4 but got 5"},
      {"[0, 2, \"0\", 5, ", "[0, 2, \"4\", 5, ",
       "g.json: blocks[0][2]: expected a prefix of 2 bits but got \"4\""},
      {"[0, 2, \"0\", 5, ", "[0, 2, \"0x\", 5, ",
       "g.json: blocks[0][2]: expected a string of 1 to 16 hexadecimal digits "
       "but got \"0x\""},
      {"[0, 2, \"0\", 5, ", "[0, 2, 0, 5, ",
       "g.json: blocks[0][2]: expected a string of 1 to 16 hexadecimal digits "
       "but got 0"},
      {"[0, 2, \"0\", 5, ", "[0, 2, \"0\", -5, ",
       "g.json: blocks[0][3]: expected an integer from 0 but got -5"},
      {"[0, 2, \"0\", 5, [0, 0]", "[0, 2, \"0\", 5, [0, 2]",
       "g.json: blocks[0][4]: expected the lower corner [0, 0] but got [0,2]"},
      {"[1, 1]]", "[1, 0]]",
       "g.json: blocks[0][5]: expected sides of log2 [1, 1] but got [1,0]"},
      {"[0, 2, \"0\", 5, [0, 0], [1, 1]]", "[0, 2, \"0\", 5]",
       "g.json: blocks[0]: expected 6 entries but got 4"},
      {"[0, 4, \"6\"", "[0, 4, \"3\"",
       "g.json: blocks[1]: expected ascending curve order and disjoint "
       "prefixes but got 'b0011' after 'b00'"},
      {"5, [0, 0]", "9223372036854775806, [0, 0]",
       "g.json: blocks[1]: expected fewer than 2^63 nonzeros up to here"},
      {"[0, 1, 2]", "[0, 2, 1]", "g.json: groups: expected groups from 0 to 2"},
      {"[0, 1, 2]", "[0, 0, 2]",
       "g.json: groups: expected ascending groups but got 0 after 0"},
      {"[0, 1, 2]", "[0, 1, 2], \"workers\": [0, 7, 5]",
       "g.json: workers: expected ascending offsets from 0 but got [0,7,5]"},
      {"[0, 1, 2]", "[0, 1, 2], \"workers\": [0, 5, 8]",
       "g.json: workers: expected offsets up to the blocks' 7 nonzeros but got "
       "[0,5,8]"},
      {"\"limit\": 7", "\"limit\": 7, \"limit\": 7",
       "g.json: expected field 'limit' once in its object but got it again"},
      {"\"origin\": [0, 0]", "\"origin\": [1, 0], \"origin\": [0, 0]",
       "g.json: expected field 'origin' once in its object but got it again"},
      {"[0, 1, 2]", "[0, 1, 2], \"edges\": [[0, 2, 0, 0]]",
       "g.json: edges[0][1]: expected an integer in 1..1 but got 2"},
      {"[0, 1, 2]", "[0, 1, 2",
       "g.json: expected JSON but got a parse error at "
       "line 14, column 1: "},
  };
  for (const auto &example : cases) {
    Result<Graph> read =
        parseGraph(replaced(kGraph, example.from, example.to), "g.json");
    ASSERT_FALSE(read) << example.message;
    EXPECT_EQ(read.message().substr(0, std::strlen(example.message)),
              example.message);
  }
}

TEST(GraphFile, ProfileErrorsNameFileAndField) {
  const struct {
    const char *from, *to, *message;
  } cases[] = {
      {"\"spmm\"", "3", "p.json: kernel: expected a string but got 3"},
      {"\"8000000000000001\"", "\"80000000000000001\"",
       "p.json: fingerprint: expected a string of 1 to 16 hexadecimal digits "
       "but got \"80000000000000001\""},
      {"5, 100", "0, 100",
       "p.json: bins[0][3]: expected an integer from 1 but got 0"},
      {"5, 100", "5, -1",
       "p.json: bins[0][4]: expected an integer from 0 but got -1"},
      {"100, null", "100, 1e3",
       "p.json: bins[0][5]: expected an integer from 0 but got 1000.0"},
      {"\"bins\"", "\"bin\"", "p.json: expected no field 'bin'"},
      {"5, 100", "9223372036854775807, 100",
       "p.json: bins[1][3]: expected a total of less than 2^63 up to here"},
  };
  for (const auto &example : cases) {
    Result<Profile> read =
        parseProfile(replaced(kProfile, example.from, example.to), "p.json");
    ASSERT_FALSE(read) << example.message;
    EXPECT_EQ(read.message(), example.message);
  }
}

TEST(GraphFile, TruncatedAnywhereIsAnErrorAndNoCrash) {
  std::string graph = kGraph, profile = kProfile;
  for (size_t length = 0; length + 2 < graph.size(); ++length)
    EXPECT_FALSE(parseGraph(graph.substr(0, length), "g.json"));
  for (size_t length = 0; length + 2 < profile.size(); ++length)
    EXPECT_FALSE(parseProfile(profile.substr(0, length), "p.json"));
  for (const char *text : {"[]", "null", "3", "\"\xff\"", "{}"})
    EXPECT_FALSE(parseGraph(text, "g.json"));
}

TEST(GraphFile, DeepOrLongValuesAreNotPrinted) {
  std::string deep(200000, '['), ends(200000, ']');
  EXPECT_EQ(parseGraph(replaced(kGraph, "7", deep + ends), "g.json").message(),
            "g.json: limit: expected an integer from 0 but got an array");
  EXPECT_EQ(parseGraph(replaced(kGraph, "7", "{\"a\": 1}"), "g.json").message(),
            "g.json: limit: expected an integer from 0 but got an object");
  std::string text(1000, 'x');
  EXPECT_EQ(
      parseGraph(replaced(kGraph, "7", "\"" + text + "\""), "g.json").message(),
      "g.json: limit: expected an integer from 0 but got \"" +
          text.substr(0, 59) + "...");
}

TEST(GraphFile, WritesWholeFilesOrNone) {
  Folder folder;
  std::string path = folder.file("g.json");
  ASSERT_TRUE(writeFile(path, "first"));
  ASSERT_TRUE(writeFile(path, "second\n"));
  EXPECT_EQ(*readFile(path), "second\n");
  EXPECT_EQ(folder.entries(), 1u);
  // A folder in the way: the rename fails, and the temporary file goes.
  fs::create_directory(folder.file("taken"));
  Status status = writeFile(folder.file("taken"), "text");
  EXPECT_FALSE(status);
  EXPECT_EQ(folder.entries(), 2u);
  status = writeFile(folder.file("no/such/folder.json"), "text");
  EXPECT_EQ(status.message(), folder.file("no/such/folder.json") +
                                  ": cannot write: No such file or directory");
  // Written, but not to be had under that name.
  EXPECT_EQ(writeFile("", "text").message(),
            ": cannot write: No such file or directory");
}

TEST(GraphFile, WritesThroughDevices) {
  EXPECT_TRUE(writeFile("/dev/null", "text"));
  EXPECT_FALSE(fs::is_regular_file("/dev/null"));
  if (fs::exists("/dev/full")) {
    EXPECT_EQ(writeFile("/dev/full", "text").message(),
              "/dev/full: cannot write: No space left on device");
  }
}

TEST(GraphFile, ReadsFiles) {
  Folder folder;
  ASSERT_TRUE(writeFile(folder.file("g.json"), kGraph));
  EXPECT_EQ(*readGraph(folder.file("g.json")), *parseGraph(kGraph, ""));
  ASSERT_TRUE(writeFile(folder.file("p.json"), kProfile));
  EXPECT_EQ(readProfile(folder.file("p.json"))->size(), 2u);
  EXPECT_EQ(readGraph(folder.file("none")).message(),
            folder.file("none") + ": cannot open: No such file or directory");
  EXPECT_EQ(readFile(folder.file("")).message(),
            folder.file("") + ": cannot read: Is a directory");
}
