// Names of keys: reversible, canonical, short, safe.
// SPDX-License-Identifier: Apache-2.0
#include "fuse/tree/name_codec.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/base/random.h"
#include "fuse/tree/sha256.h"

namespace sippar::fuse {
namespace {

std::string Hex(std::string_view key) {
  std::string hex;
  for (uint8_t byte : Sha256(key)) {
    char pair[3];
    std::snprintf(pair, sizeof(pair), "%02x", byte);
    hex += pair;
  }
  return hex;
}

void ExpectGoodName(const NameCodec& codec, const std::string& key) {
  std::string name = codec.Encode(key);
  ASSERT_GE(name.size(), 1u);
  ASSERT_LE(name.size(), kNameSizeMax);
  ASSERT_NE(name.front(), '.') << name;
  ASSERT_EQ(name.find('/'), std::string::npos) << name;
  ASSERT_EQ(name.find('\0'), std::string::npos) << name;
  for (char c : name) ASSERT_GE(static_cast<uint8_t>(c), ' ') << name;
  auto decoded = codec.Decode(name);
  ASSERT_TRUE(decoded.has_value()) << name;
  ASSERT_TRUE(decoded->is_canonical) << name;
  if (decoded->is_long) {
    ASSERT_EQ(decoded->hash, codec.Hash(key));
    ASSERT_TRUE(key.starts_with(decoded->key)) << name;
    ASSERT_GE(decoded->key.size(), 60u);
  } else {
    ASSERT_EQ(decoded->key, key) << name;
  }
}

TEST(Sha256, AgreesWithTheStandardsExamples) {
  EXPECT_EQ(Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(NameCodec, SpellsTheDocumentedExamples) {
  NameCodec codec;
  EXPECT_EQ(codec.Encode(""), "%");
  EXPECT_EQ(codec.Encode("."), "%2E");
  EXPECT_EQ(codec.Encode(".."), "%2E.");
  EXPECT_EQ(codec.Encode(".git"), "%2Egit");
  EXPECT_EQ(codec.Encode("a/b"), "a%2Fb");
  EXPECT_EQ(codec.Encode("100%"), "100%25");
  EXPECT_EQ(codec.Encode(std::string("\0\xff", 2)), "%00%FF");
  EXPECT_EQ(codec.Encode("a\nb\tc\x7f"), "a%0Ab%09c%7F");
  EXPECT_EQ(codec.Encode(" x "), " x%20");
  EXPECT_EQ(codec.Encode("-rf*a:b"), "-rf*a:b");
  EXPECT_EQ(codec.Encode("com.cnn.www/index.html"), "com.cnn.www%2Findex.html");
  EXPECT_EQ(codec.Encode("caf\xc3\xa9"), "caf\xc3\xa9");
  EXPECT_EQ(codec.Encode("cafe\xcc\x81"), "cafe\xcc\x81");
  EXPECT_EQ(codec.Encode("\xe2\x80\xae"), "%E2%80%AE");  // right-to-left override
  EXPECT_EQ(codec.Encode("\xef\xbb\xbf"), "%EF%BB%BF");  // byte order mark
  EXPECT_EQ(codec.Encode("\xc2\x85"), "%C2%85");         // a control of Latin-1
  EXPECT_EQ(codec.Encode("\xed\xa0\x80"), "%ED%A0%80");  // a surrogate is not UTF-8
  EXPECT_EQ(codec.Encode("\xc0\xaf"), "%C0%AF");         // '/' in overlong form
  EXPECT_EQ(codec.Encode("\xf0\x9f\x98\x80"), "\xf0\x9f\x98\x80");
  EXPECT_EQ(codec.Encode("\xf0\x9f\x98"), "%F0%9F%98");  // cut short
}

TEST(NameCodec, RoundTripsAllShortByteStringsWithoutTwoMeeting) {
  NameCodec codec;
  std::set<std::string> names;
  size_t count = 0;
  auto check = [&](const std::string& key) {
    ExpectGoodName(codec, key);
    names.insert(codec.Encode(key));
    ++count;
  };
  check("");
  for (int a = 0; a < 256; ++a) {
    check(std::string(1, static_cast<char>(a)));
    for (int b = 0; b < 256; ++b) check({static_cast<char>(a), static_cast<char>(b)});
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(names.size(), count);
}

TEST(NameCodec, RoundTripsRandomKeysUpTo64KiB) {
  NameCodec codec;
  engine::Random random(1);
  std::set<std::string> keys;
  std::set<std::string> names;
  using namespace std::string_view_literals;
  constexpr std::string_view kSpecial = "%/. \n\0~\xc3\xa9\xe2\x80\xa8\xf0\x9f\x98\x80"sv;
  for (int round = 0; round < 4'000; ++round) {
    size_t size = random.Uniform(uint64_t{1} << random.Uniform(17));
    bool is_text = random.OneIn(2);
    std::string key;
    while (key.size() < size) {
      if (random.OneIn(20)) key.push_back(kSpecial[random.Uniform(kSpecial.size())]);
      key.push_back(static_cast<char>(is_text ? 'a' + random.Uniform(26) : random.Uniform(256)));
    }
    ExpectGoodName(codec, key);
    if (HasFatalFailure()) return;
    keys.insert(key);
    names.insert(codec.Encode(key));
  }
  EXPECT_EQ(names.size(), keys.size());
}

TEST(NameCodec, CutsLongNamesBetweenCharacters) {
  NameCodec codec;
  std::string plain(300, 'x');
  EXPECT_EQ(codec.Encode(plain), std::string(200, 'x') + "%~" + Hex(plain).substr(0, 32));
  EXPECT_EQ(codec.Encode(std::string(255, 'x')), std::string(255, 'x'));
  std::string escaped = std::string(199, 'x') + std::string(100, '/');
  EXPECT_EQ(codec.Encode(escaped), std::string(199, 'x') + "%~" + Hex(escaped).substr(0, 32));
  std::string accents = std::string(199, 'x') + "\xc3\xa9" + std::string(100, 'x');
  EXPECT_EQ(codec.Encode(accents), std::string(199, 'x') + "%~" + Hex(accents).substr(0, 32));
}

TEST(NameCodec, TellsOtherSpellingsFromNonsense) {
  NameCodec codec;
  for (std::string_view name : {"a%2fb", "%41", ".git", "x ", "a\nb", "%2E%2E", "\xff"}) {
    auto decoded = codec.Decode(name);
    ASSERT_TRUE(decoded.has_value()) << name;
    EXPECT_FALSE(decoded->is_canonical) << name;
    EXPECT_TRUE(codec.Decode(codec.Encode(decoded->key))->is_canonical);
  }
  std::string long_name = codec.Encode(std::string(300, 'x'));
  for (const std::string& name :
       {std::string(""), std::string("."), std::string(".."), std::string("a%"), std::string("a%4"),
        std::string("%zz"), std::string("a/b"), std::string("a%~b"),
        std::string("%~") + std::string(32, '0'), long_name + "0",
        long_name.substr(0, long_name.size() - 1), std::string(256, 'x')}) {
    EXPECT_FALSE(codec.Decode(name).has_value()) << name;
  }
}

TEST(NameCodec, EveryNameDecodesToAFixedPointOrNothing) {
  NameCodec codec;
  engine::Random random(2);
  constexpr std::string_view kAlphabet = "%~20aAfF.x /\xc3\xa9";
  for (int round = 0; round < 100'000; ++round) {
    std::string name;
    for (size_t i = random.Uniform(12); i > 0; --i) {
      name.push_back(kAlphabet[random.Uniform(kAlphabet.size())]);
    }
    auto decoded = codec.Decode(name);
    if (!decoded.has_value() || decoded->is_long) continue;
    ASSERT_EQ(decoded->is_canonical, codec.Encode(decoded->key) == name) << name;
  }
}

}  // namespace
}  // namespace sippar::fuse
