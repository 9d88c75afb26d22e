// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0
#include "support/shapes.hpp"

#include <array>
#include <cstdlib>

namespace tessera::test {

bool some_are_enough() {
#ifdef TESSERA_TEST_WITH_SANITIZERS
  return true;
#else
  return false;
#endif
}

std::vector<Shape> all_shapes() {
  constexpr std::array<std::int64_t, 14> extents{1,   2,   3,   7,   31,  64,  97,
                                                 127, 128, 129, 255, 257, 513, 1000};
  std::vector<Shape> shapes;
  for (std::int64_t const rows : extents) {
    for (std::int64_t const cols : extents) shapes.push_back({rows, cols});
  }
  if (some_are_enough() || std::getenv("TESSERA_TEST_KERNELS") != nullptr) {
    std::size_t count = 0;
    std::erase_if(shapes, [&](Shape const&) { return count++ % 5 != 0; });
  }
  for (Shape const shape : {
           Shape{512, 512}, {1024, 1024}, {1023, 1025},               // powers of two
           {4097, 17},      {17, 4097},   {769, 2048},  {2049, 255},  // several segments
           {8191, 5},       {5, 8193},    {8200, 40},   {40, 8200},   // over 1024 panels of 8
           {3, 16384},      {16384, 3},   {9, 16385},   {16385, 9},   // ordinary and long lines
           {100003, 3},     {3, 100003},  {1, 100003},  {100003, 1},
           {300007, 2},     {2, 300007},  {262145, 1},  {1, 262145},  // over 32768 panels of 8
           {70, 20011},     {20011, 70},  {12, 100003},               // few panels of long lines
           {1, 1048577},    {1048577, 1},                             // over 2^20 elements
       }) {
    shapes.push_back(shape);
  }
  return shapes;
}

std::vector<Shape> few_shapes() {
  return {{1, 1},     {1, 1025},  {1025, 1},  {7, 129},     {129, 7},
          {64, 512},  {97, 513},  {513, 97},  {1000, 1000}, {3, 16385},
          {16385, 3}, {8200, 40}, {40, 8200}, {20, 140001}, {100003, 3}};
}

std::vector<Shape> large_shapes() {
  if (some_are_enough()) return {{8200, 4100}, {520, 12288}};
  return {{33600, 1000}, {8200, 4100}, {520, 12288}, {65, 524289}};
}

std::vector<LinesShape> lines_of_every_kernel(std::int64_t lanes) {
  return {{100, lanes / 4},       {100, lanes / 2},   {100, 3 * lanes / 2}, {100, 3 * lanes},
          {100, 6 * lanes},       {20, 12 * lanes},   {20, 46 * lanes},     {20, 140 * lanes},
          {20, 240 * lanes},      {20, 270 * lanes},  {9, 1100 * lanes},    {9, 2200 * lanes},
          {512, 140 * lanes},     {512, 46 * lanes},  {512, 120 * lanes},   {512, 270 * lanes},
          {512, 240 * lanes + 4}, {512, 340 * lanes}, {512, 520 * lanes},   {35, 4224 * lanes},
          {200, 6 * lanes},       {370, 3 * lanes}};
}

}  // namespace tessera::test
