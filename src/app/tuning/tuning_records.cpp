// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>

#include <nlohmann/json.hpp>

#include <app/base/text.hpp>
#include <app/tuning/tuning_records.hpp>
#include <io/types.hpp>
#include <tessera/checks.hpp>
#include <tessera/tuning.hpp>

namespace tessera::app {
namespace {

using Json = nlohmann::ordered_json;  // for writing
using Read = nlohmann::json;          // finds keys quickly

template <class Number>
Number number_in(Read const& object, char const* key, Number least,
                 Number most = std::numeric_limits<Number>::max()) {
  Read const& value = object.at(key);
  if (value.is_number_integer()) {
    bool const too_large =
        value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(most);
    if (!too_large && value.get<std::int64_t>() >= static_cast<std::int64_t>(least) &&
        value.get<std::int64_t>() <= static_cast<std::int64_t>(most)) {
      return value.get<Number>();
    }
  }
  throw Unusable(std::string("damaged: ") + key + " is not a number that makes sense");
}

// The fields of tunings that are stored, for reading and for writing: visit(name, field).

template <class Visit>
void visit_fields(DotTuning& t, Visit const& visit) {
  visit("lines_per_step", t.lines_per_step);
  visit("lines_per_team", t.lines_per_team);
  visit("segments_per_run", t.segments_per_run);
}

template <class Visit>
void visit_fields(SumTuning& t, Visit const& visit) {
  visit("lines_per_step", t.lines_per_step);
  visit("columns_per_team", t.columns_per_team);
  visit("panels_per_team", t.panels_per_team);
}

template <class Visit>
void visit_fields(FusedLinesTuning& t, Visit const& visit) {
  visit("lines_per_step", t.lines_per_step);
  visit("dot_side_by_side", t.dot_side_by_side);
  visit("panels_per_team", t.panels_per_team);
}

template <class Visit>
void visit_fields(FusedTilesTuning& t, Visit const& visit) {
  visit("segments_per_tile", t.segments_per_tile);
  visit("tiles_per_team", t.tiles_per_team);
  visit("lines_per_step", t.lines_per_step);
}

template <class Visit>
void visit_fields(Tuning& t, Visit const& visit) {
  visit("dot", t.dot);
  visit("sum", t.sum);
  visit("fused_lines", t.fused_lines);
  visit("fused_tiles", t.fused_tiles);
  visit("prefer_fused", t.prefer_fused);
}

template <class Visit>
void visit_fields(TransposeTuning& t, Visit const& visit) {
  visit("tile_rows", t.tile_rows);
  visit("tile_cols", t.tile_cols);
  visit("team_size", t.team_size);
  visit("band", t.band);
  visit("stream", t.stream);
}

template <class Visit>
void visit_fields(GemmTuning& t, Visit const& visit) {
  visit("tile_rows", t.tile_rows);
  visit("tile_cols", t.tile_cols);
  visit("tile_depth", t.tile_depth);
  visit("band", t.band);
}

template <class Fields>
Json object_of(Fields fields) {
  Json json;
  visit_fields(fields, [&]<class Field>(char const* name, Field const& field) {
    if constexpr (std::integral<Field>) {
      json[name] = field;
    } else {
      json[name] = object_of(field);
    }
  });
  return json;
}

template <class Fields>
void read_fields(Read const& json, Fields& fields) {
  visit_fields(fields, [&]<class Field>(char const* name, Field& field) {
    if constexpr (std::same_as<Field, bool>) {
      field = json.at(name).template get<bool>();
    } else if constexpr (std::integral<Field>) {
      field = number_in<Field>(json, name, 0);
    } else {
      read_fields(json.at(name), field);
    }
  });
}

template <class Fields>
Fields tuning_from(Read const& json) {
  Fields fields;
  read_fields(json, fields);
  checks::require_valid(fields);
  return fields;
}

template <class Value, class Word>
Value value_named(Read const& json, char const* key, std::initializer_list<Value> values,
                  Word const& word_of) {
  auto const word = json.at(key).get<std::string>();
  for (Value const& value : values) {
    if (word == word_of(value)) return value;
  }
  throw Unusable(std::string("damaged: ") + key + " is not known");
}

}  // namespace

nlohmann::ordered_json to_object(TuningRecord const& r) {
  Json json = {{"operation", command_of(r.operation)},
               {"type", io::to_string(r.type)},
               {"layout", io::to_string(r.layout)},
               {"rows", r.shape.rows},
               {"cols", r.shape.cols},
               {"factor_cols", r.shape.factor_cols},
               {"seconds", r.seconds},
               {"backend_seconds", r.backend_seconds}};
  if (r.launch.tuning) json["product"] = object_of(*r.launch.tuning);
  if (r.launch.transpose) json["transpose"] = object_of(*r.launch.transpose);
  if (r.launch.gemm) json["gemm"] = object_of(*r.launch.gemm);
  return json;
}

TuningRecord record_from(Read const& json) {
  TuningRecord r;
  auto const word_of = [](auto value) { return io::to_string(value); };
  r.operation = value_named<std::string>(
      json, "operation", {"atax", "multiply", "multiply_transposed", "transpose", "gemm"},
      [](std::string const& name) { return command_of(name); });
  r.type = value_named(json, "type", {io::ScalarType::f32, io::ScalarType::f64}, word_of);
  r.layout = value_named(json, "layout", {io::Layout::right, io::Layout::left}, word_of);
  r.shape = {.rows = number_in<std::int64_t>(json, "rows", 1),
             .cols = number_in<std::int64_t>(json, "cols", 1),
             .factor_cols = number_in<std::int64_t>(json, "factor_cols", 0)};
  r.seconds = json.at("seconds").get<double>();
  r.backend_seconds = json.at("backend_seconds").get<double>();
  if (r.shape.is_product() != (r.operation == "gemm")) {
    throw Unusable("damaged: factor_cols goes with gemm, and with nothing else");
  }
  if (r.operation == "transpose") {
    r.launch.transpose = tuning_from<TransposeTuning>(json.at("transpose"));
  } else if (r.operation == "gemm") {
    r.launch.gemm = tuning_from<GemmTuning>(json.at("gemm"));
  } else {
    r.launch.tuning = tuning_from<Tuning>(json.at("product"));
  }
  return r;
}

int int_in(nlohmann::json const& object, char const* key) {
  return number_in<int>(object, key, 0);
}

}  // namespace tessera::app
