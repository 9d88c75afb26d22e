// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <app/base/failure.hpp>
#include <app/run/variants.hpp>

namespace tessera::app {
namespace {

/// What a variant takes or not.
using Has = bool VariantFacts::*;

/// "a, b and c" of the variants that have something.
std::string list_of(std::vector<VariantFacts> const& variants, Has has) {
  std::vector<std::string_view> names;
  for (auto const& facts : variants) {
    if (facts.*has) names.push_back(facts.name);
  }
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    list += i == 0 ? "" : i + 1 == names.size() ? " and " : ", ";
    list += names[i];
  }
  return list;
}

/// An option that only some variants take.
struct SomeTake {
  std::string option;
  bool given;
  Has has;
};

}  // namespace

VariantFacts const* chosen(VariantChoice const& choice, std::vector<VariantFacts> const& variants) {
  return choice.name.empty() ? nullptr : &row_named(variants, choice.name);
}

void require_applicable(VariantChoice const& choice, Kernels kernels,
                        std::vector<VariantFacts> const& variants) {
  VariantFacts const* const facts = chosen(choice, variants);
  if (facts != nullptr && kernels != Kernels::automatic) {
    throw Failure(ExitStatus::usage,
                  "--kernels: a variant has kernels of its own; leave out one of the two");
  }
  for (SomeTake const& some :
       {SomeTake{"--team", choice.team.has_value(), &VariantFacts::takes_team},
        SomeTake{"--teams", choice.teams.has_value(), &VariantFacts::takes_teams},
        SomeTake{"--tile", choice.tile.has_value(), &VariantFacts::takes_tile},
        SomeTake{"--tiling", choice.tiling.has_value(), &VariantFacts::takes_tiling}}) {
    if (!some.given || (facts != nullptr && facts->*some.has)) continue;
    auto const those = list_of(variants, some.has);
    throw Failure(ExitStatus::usage,
                  facts == nullptr
                      ? some.option +
                            ": is for variants, and none was given; --variant takes it with " +
                            those
                      : some.option + ": " + choice.name + " does not take it; " + those +
                            (those.find(' ') == std::string::npos ? " does" : " do"));
  }
}

std::string why_host_only(VariantFacts const* facts, std::vector<VariantFacts> const& variants) {
  if (facts == nullptr || !facts->hosts_only) return {};
  std::string others;
  for (auto const& other : variants) {
    if (!other.hosts_only) others += (others.empty() ? "" : ", ") + std::string(other.name);
  }
  return "the variant " + std::string(facts->name) + " is for hosts; on a GPU there are " + others;
}

std::string to_text(VariantRun const& run) {
  if (!run.team) return run.name;
  return run.name + ", " + std::string(run.block) + " of " + std::to_string(run.team->rows) +
         " x " + std::to_string(run.team->cols) + " threads";
}

std::string_view sentence_of(variants::Reproducible reproducible) {
  switch (reproducible) {
    case variants::Reproducible::no:
      return "NOT reproducible: its floating-point atomics add in the order in which threads come";
    case variants::Reproducible::with_equal_launch:
      return "reproducible: the same bits again for the same shape, team, teams and tile";
    case variants::Reproducible::always:
      break;
  }
  return "reproducible: the same bits again, however it is launched";
}

std::string_view to_string(variants::Reproducible reproducible) {
  switch (reproducible) {
    case variants::Reproducible::no:
      return "no";
    case variants::Reproducible::with_equal_launch:
      return "with-equal-launch";
    case variants::Reproducible::always:
      break;
  }
  return "always";
}

void refuse(std::string const& variant, std::string const& sentence) {
  auto const start = sentence.find(": ");  // after the name of the function
  throw Failure(ExitStatus::usage,
                "--variant " + variant + ": " +
                    (start == std::string::npos ? sentence : sentence.substr(start + 2)));
}

}  // namespace tessera::app
