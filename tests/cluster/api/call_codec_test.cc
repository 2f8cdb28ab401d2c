// Calls as values: every call and every reply is the same after encoding and decoding, damaged
// bytes are rejected, and both ends use the same rules.
// SPDX-License-Identifier: Apache-2.0
#include "cluster/api/call_codec.h"

#include "cluster/api/row_codec.h"
#include "cluster/api/tablet_service.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/base/random.h"

namespace sippar::cluster {

template <>
inline constexpr int kFieldsOf<calls::Compact> = 3;

namespace {

// Fills values with random content. Each type without fields has its own function.
class Filler {
 public:
  explicit Filler(uint64_t seed) : random_(seed) {}

  void Fill(uint64_t* value) { *value = random_.Next() >> random_.Uniform(64); }
  void Fill(int64_t* value) { *value = static_cast<int64_t>(random_.Next()); }
  void Fill(bool* value) { *value = random_.OneIn(2); }
  void Fill(double* value) { *value = static_cast<double>(random_.Uniform(1'000)) / 7; }
  void Fill(std::string* value) {
    value->resize(random_.Uniform(12));
    for (char& byte : *value) byte = static_cast<char>(random_.Next());
  }
  void Fill(TabletPhase* value) { *value = static_cast<TabletPhase>(random_.Uniform(4)); }
  void Fill(TableSchema* schema) {
    schema->name = "t" + std::to_string(random_.Uniform(100));
    schema->families.resize(1 + random_.Uniform(3));
    for (size_t i = 0; i < schema->families.size(); ++i) {
      schema->families[i].name = std::string(1, static_cast<char>('a' + i));
    }
    schema->Normalize();
  }
  void Fill(std::shared_ptr<const TableSchema>* value) {
    TableSchema schema;
    Fill(&schema);
    *value = std::make_shared<const TableSchema>(std::move(schema));
  }
  void Fill(engine::TabletState* state) {
    Fill(&state->tablet_id);
    Fill(&state->table_id);
    Fill(&state->redo_sequence);
  }
  void Fill(NamedRecord* record) {
    record->name = "n" + std::to_string(random_.Uniform(100));
    Fill(&record->body);
    Fill(&record->version);
  }
  // Fills the fields that are sent; the master keeps the others.
  void Fill(TabletRecord* record) {
    std::apply([this](auto&... field) { (Fill(&field), ...); },
               Coding<TabletRecord>::FieldsToSend(*record));
  }
  void Fill(Status* status) {
    if (random_.OneIn(2)) return;
    *status = Status(static_cast<StatusCode>(1 + random_.Uniform(16)), "text");
    if (random_.OneIn(2)) status->SetPayload("sippar/some", absl::Cord("payload"));
  }
  template <class T>
  void Fill(StatusOr<T>* answer) {
    Status status;
    Fill(&status);
    *answer = status.ok() ? StatusOr<T>(T()) : StatusOr<T>(status);
    if (answer->ok()) Fill(&**answer);
  }
  void Fill(RowMutation* mutation) {
    Fill(&mutation->row);
    Fill(&mutation->request.client);
    mutation->request.number = random_.Uniform(9);
    if (random_.OneIn(2)) mutation->Set("f", "q", "v", 7);
    if (random_.OneIn(2)) mutation->DeleteColumn("f", "q").Increment("n", "", -1);
    if (random_.OneIn(2)) mutation->DeleteFamily("f").DeleteRow().Add("s", "q", "1");
  }
  void Fill(engine::RowUpdate* update) {
    Fill(&update->row);
    Fill(&update->only_if_exists);
    Fill(&update->now_us);
    Fill(&update->read);
  }
  void Fill(engine::RowUpdateResult* result) {
    Fill(&result->applied);
    Fill(&result->cells_set);
  }
  void Fill(Change* change) {
    Fill(&change->mutation);
    Fill(&change->commit_us);
    Fill(&change->token);
  }
  void Fill(ReadSpec* read) {
    read->rows = engine::RowSet(RowRange{"a", "c"});
    Fill(&read->keys_only);
  }
  template <class T>
  void Fill(Lent<T>* value) {
    T owned;
    Fill(&owned);
    *value = std::move(owned);
  }
  template <class T>
  void Fill(LentBatch<T>* batch) {
    std::vector<T> owned;
    Fill(&owned);
    *batch = std::move(owned);
  }
  template <class T>
  void Fill(std::vector<T>* values) {
    values->resize(random_.Uniform(4));
    for (T& value : *values) Fill(&value);
  }
  template <class T>
  void Fill(std::map<std::string, T>* values) {
    for (uint64_t i = random_.Uniform(4); i > 0; --i) Fill(&(*values)["k" + std::to_string(i)]);
  }
  template <class T>
  void Fill(std::optional<T>* value) {
    if (random_.OneIn(2)) Fill(&value->emplace());
  }
  template <class T>
  void Fill(T* value) {
    std::apply([this](auto&... field) { (Fill(&field), ...); }, FieldsOf(*value));
  }

  engine::Random* random() { return &random_; }

 private:
  engine::Random random_;
};

// The size of the last field that earlier versions of sippar do not send.
template <class T>
size_t AddedTo(const T&) {
  return 0;
}
size_t AddedTo(const calls::Compact& call) { return call.rows.size(); }
size_t AddedTo(const ClusterHealth& health) { return health.clock_doubt.size(); }

// Values without operator== count as equal if their bytes are equal; each field is encoded, so
// values that differ in a field have different bytes (struct_fields.h does not compile otherwise).
template <class T>
void ComesThrough(Filler* filler) {
  T sent, received;
  filler->Fill(&sent);
  const std::string bytes = EncodeValue(sent);
  ASSERT_TRUE(DecodeValue(bytes, &received));
  EXPECT_EQ(EncodeValue(received), bytes);
  constexpr bool kMayLackEnd =
      std::is_same_v<T, calls::Compact> || std::is_same_v<T, ClusterHealth>;
  T ignored;
  EXPECT_EQ(DecodeValue(bytes + '\0', &ignored), kMayLackEnd && AddedTo(sent) == 0);
  for (size_t size = 0; size < bytes.size(); ++size) {
    T cut;
    const bool is_whole = DecodeValue(std::string_view(bytes).substr(0, size), &cut);
    EXPECT_EQ(is_whole, kMayLackEnd && is_whole && AddedTo(cut) == 0) << size;
  }
  std::string damaged = bytes;
  for (int i = 0; i < 8 && !damaged.empty(); ++i) {
    damaged[filler->random()->Uniform(damaged.size())] =
        static_cast<char>(filler->random()->Next());
    T any;
    // Either result is right; sanitizers detect wrong memory accesses.
    (void)DecodeValue(damaged, &any);
  }
}

template <class... Calls>
void AllComeThrough(CallList<Calls...>) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    Filler filler(seed);
    (ComesThrough<Calls>(&filler), ...);
    (ComesThrough<typename Calls::Reply>(&filler), ...);
  }
}

// The data of change streams, in the form of a call.
struct Streamed {
  ChangesRequest request;

  using Reply = ChangeBatch;
  static constexpr int kFields = 1;
};

TEST(CallCodecTest, EveryCallAndReplyComesThrough) {
  AllComeThrough(AdminApi::Calls());
  AllComeThrough(TabletControl::Calls());
  AllComeThrough(MasterNotices::Calls());
  AllComeThrough(DataApi::Calls());
  AllComeThrough(TabletService::Calls());
  AllComeThrough(CallList<Streamed>());
}

TEST(CallCodecTest, AStatusKeepsItsTextAndPayloads) {
  Status sent = Aborted("the row has changed");
  sent.SetPayload("sippar/some", absl::Cord(std::string("\0x", 2)));
  Status received;
  ASSERT_TRUE(DecodeValue(EncodeValue(sent), &received));
  EXPECT_EQ(received, sent);
  ASSERT_TRUE(DecodeValue(EncodeValue(OkStatus()), &sent));
  EXPECT_TRUE(sent.ok());
  EXPECT_FALSE(DecodeValue("\x11", &received));  // a code that no status has
}

// A decoded entry takes far more memory than its one encoded byte, so the numbers of entries and
// mutations are limited.
TEST(CallCodecTest, TooManyEntriesOrMutationsAreRefused) {
  RowMutation mutation("r");
  for (size_t i = 0; i < limits::kMutationEntriesMax; ++i) mutation.DeleteRow();
  RowMutation received;
  EXPECT_TRUE(DecodeValue(EncodeValue(mutation), &received));
  mutation.DeleteRow();
  EXPECT_FALSE(DecodeValue(EncodeValue(mutation), &received));
  Change change, changed;  // a server may send more mutations than it accepts
  change.mutation = mutation;
  EXPECT_TRUE(DecodeValue(EncodeValue(change), &changed));
  LentBatch<RowMutation> batch(std::vector<RowMutation>(limits::kMutationEntriesMax + 1));
  LentBatch<RowMutation> many;
  EXPECT_FALSE(DecodeValue(EncodeValue(batch), &many));
}

// Encoding copies no borrowed value. A decoded value stays valid after its bytes are freed, and so
// do its copies.
TEST(CallCodecTest, WhatIsLentIsTheCallersAndWhatIsDecodedTheCalls) {
  const RowMutation mutation("r");
  const RowMutation* only = &mutation;
  const std::string table = "t";
  calls::ApplyRows<LentTable> sent{table, {&only, 1}};
  EXPECT_EQ(&*sent.to, &table);
  EXPECT_EQ(&sent.batch[0], &mutation);
  calls::ApplyRows<LentTable> kept;
  {
    calls::ApplyRows<LentTable> received;
    ASSERT_TRUE(DecodeValue(EncodeValue(sent), &received));
    kept = received;
    EXPECT_EQ(&kept.batch[0], &received.batch[0]);
  }
  EXPECT_EQ(*kept.to, "t");
  EXPECT_EQ(kept.batch[0].row, "r");
}

// Answers a few calls and records which calls it received.
class FakeAdmin final : public AdminApi {
 public:
  void Carry(const AnyCall& call, const CallOptions& options) override {
    last = RuleOf(call).name;
    timeout_us = options.timeout_us;
    if (const auto* flush = std::get_if<Pending<calls::Flush>>(&call)) {
      flush->answer = flush->call.table == "t" ? OkStatus() : NotFound("no table");
    } else if (const auto* dump = std::get_if<Pending<calls::DumpTablets>>(&call)) {
      dump->answer = "of " + dump->call.table;
    }
  }
  std::string last;
  int64_t timeout_us = 0;
};

// A client of `server`; only bytes pass between the two.
class FakeRemote final : public AdminApi {
 public:
  explicit FakeRemote(AdminApi* server) : server_(server) {}
  void Carry(const AnyCall& call, const CallOptions& options) override {
    TakeReply(DoNamed(server_, RuleOf(call).name, EncodeCall(call), options), call);
  }

 private:
  AdminApi* const server_;
};

TEST(CallCodecTest, ACallAndItsAnswerTravelAsBytes) {
  FakeAdmin server;
  FakeRemote client(&server);
  EXPECT_TRUE(client.Do(calls::Flush{"t"}).ok());
  EXPECT_EQ(client.Do(calls::Flush{"u"}), NotFound("no table"));
  EXPECT_EQ(*client.Do(calls::DumpTablets{"t"}, {nullptr, 7}), "of t");
  EXPECT_EQ(server.last, "DumpTablets");
  EXPECT_EQ(server.timeout_us, 7);
  // A call that the server failed to answer is not reported as a success.
  EXPECT_EQ(client.Do(calls::Verify{"t"}).code(), StatusCode::kInternal);
}

TEST(CallCodecTest, UnknownAndDamagedCallsAreRefused) {
  FakeAdmin server;
  EXPECT_EQ(DoNamed(&server, "Flesh", "", {}).status().code(), StatusCode::kUnimplemented);
  EXPECT_EQ(DoNamed(&server, "Flush", "\xff", {}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(server.last, "");
  EXPECT_EQ(FindRule(AdminApi::Calls(), "Flesh"), nullptr);
}

// Callers find the parts of an answer by position; for a batch of one write they take the first
// part.
TEST(CallCodecTest, AnAnswerWithoutAPartForEachWriteIsDamaged) {
  const RowMutation mutation("r");
  const std::vector<const RowMutation*> two = {&mutation, &mutation};
  using Apply = calls::ApplyRows<TabletAddress>;
  for (size_t parts : {0, 1, 2, 3}) {
    const Apply call{{}, two};
    Answer<Apply> answer;
    TakeReply(EncodeValue(Apply::Reply(parts)),
              TabletService::AnyCall(Pending<Apply>{call, answer}));
    EXPECT_EQ(answer.ok(), parts == 2) << parts;
    if (!answer.ok()) EXPECT_EQ(answer.status().code(), StatusCode::kInternal);
  }
}

// Answers each update with as many bytes as its row has.
class FakeTablets final : public Port<calls::TabletCalls> {
 public:
  void Carry(const AnyCall& any, const CallOptions&) override {
    const auto& update = std::get<Pending<Update>>(any);
    update.answer = Update::Reply();
    for (const engine::RowUpdate* one : update.call.batch.values()) {
      engine::RowUpdateResult result;
      result.returning = {engine::Value::Bytes(one->row)};
      update.answer->push_back(std::move(result));
    }
  }
  using Update = calls::UpdateRows<TabletAddress>;
};

TEST(CallCodecTest, AnAnswerThatIsTooLargeIsRefusedPartByPart) {
  using Update = FakeTablets::Update;
  std::vector<engine::RowUpdate> updates(3);
  for (size_t i = 0; i < updates.size(); ++i) updates[i].row = std::string(i == 1 ? 900 : 90, 'r');
  const Update call{{}, std::move(updates)};
  Answer<Update> answer;
  const TabletService::AnyCall any = Pending<Update>{call, answer};
  FakeTablets server;
  TakeReply(DoNamed(&server, "UpdateRows", EncodeCall(any), {}, 500), any);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_TRUE((*answer)[0].ok() && (*answer)[2].ok());
  EXPECT_EQ((*answer)[1].status().code(), StatusCode::kResourceExhausted);
  EXPECT_NE(MessageOf((*answer)[1].status()).find("was carried out, do not repeat it"),
            std::string_view::npos);
  // A call that only reads may be repeated.
  FakeAdmin admin;
  const Status dumped =
      DoNamed(&admin, "DumpTablets", EncodeValue(calls::DumpTablets{"t"}), {}, 3).status();
  EXPECT_EQ(dumped,
            ResourceExhausted("call DumpTablets: its answer has 5 bytes and the limit is 3"));
}

TEST(CallCodecTest, AValueThatIsNotAllowedIsNamed) {
  FakeAdmin server;
  FakeRemote client(&server);
  TableSchema schema;
  schema.name = "t";
  for (int i = 0; i <= 100; ++i) {
    schema.families.push_back({"f" + std::to_string(i), engine::FamilyType::kBytes, {}});
  }
  const Status refused = client.Do(calls::CreateTable{schema, {}});
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(MessageOf(refused).find("table t has 101 families; the limit is 100"),
            std::string_view::npos)
      << refused;
  EXPECT_EQ(server.last, "");
}

template <class... Calls>
std::multiset<std::string> NamesOf(CallList<Calls...>) {
  return {Calls::kRule.name...};
}

TEST(CallCodecTest, NamesAreUniqueAndWhatCannotBeRepeatedChangesSomething) {
  const std::multiset<std::string> all = NamesOf(AdminApi::Calls());
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());
  for (const std::string& name : all) {
    const CallRule* rule = FindRule(AdminApi::Calls(), name);
    ASSERT_NE(rule, nullptr) << name;
    EXPECT_EQ(rule->name, name);
    EXPECT_TRUE(rule->repeat == Repeat::kSafe || rule->effect == Effect::kUnknown) << name;
  }
}

}  // namespace
}  // namespace sippar::cluster
