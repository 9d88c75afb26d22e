// SPDX-FileCopyrightText: 2026 The Tessera authors
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <python/imports.hpp>
#include <string>
#include <string_view>

namespace tessera::python {

namespace nb = nanobind;

std::string shape_text(Array const& array) {
  std::string text = "(" + std::to_string(array.extents[0]);
  text += array.dimensions == 1 ? "," : ", " + std::to_string(array.extents[1]);
  return text + ")";
}

namespace {

struct Modules {
  nb::object numpy_array = nb::module_::import_("numpy").attr("ndarray");
  nb::object numpy_empty = nb::module_::import_("numpy").attr("empty");
  nb::object float32 = nb::module_::import_("numpy").attr("dtype")("float32");
  nb::object float64 = nb::module_::import_("numpy").attr("dtype")("float64");
  nb::object arrays = nb::module_::import_("tessera._arrays");
};

Modules const& modules() {
  static Modules const* const modules = new Modules;
  return *modules;
}

bool is_numpy(nb::handle x) {
  return PyObject_TypeCheck(x.ptr(),
                            reinterpret_cast<PyTypeObject*>(modules().numpy_array.ptr())) != 0;
}

/// If it is imported.
struct Torch {
  nb::object tensor;
  nb::object to_dlpack;  ///< makes no stream wait, unlike Tensor.__dlpack__
};

Torch const* torch() {
  static Torch const* torch = nullptr;
  if (torch != nullptr) return torch;
  nb::dict const imported = nb::borrow<nb::dict>(PyImport_GetModuleDict());
  if (!imported.contains("torch")) return nullptr;
  nb::object const module = imported["torch"];
  nb::object tensor = nb::getattr(module, "Tensor", nb::none());
  nb::object utils = nb::getattr(module, "utils", nb::none());
  nb::object to_dlpack =
      nb::getattr(nb::getattr(utils, "dlpack", nb::none()), "to_dlpack", nb::none());
  if (tensor.is_none() || to_dlpack.is_none()) return nullptr;  // still being imported
  torch = new Torch{std::move(tensor), std::move(to_dlpack)};
  return torch;
}

/// For nanobind. A PyTorch tensor becomes a DLPack capsule: calls use the caller's stream.
nb::object shown(nb::object const& x) {
  if (is_numpy(x)) return x;
  Torch const* const library = torch();
  if (library == nullptr || !x.type().is(library->tensor)) return x;
  if (nb::cast<bool>(x.attr("requires_grad"))) return x;
  try {
    return library->to_dlpack(x);
  } catch (nb::python_error const&) {
    return x;  // such as a sparse tensor, refused later
  }
}

nb::object numpy_type(ElementType const& type) {
  if (!type.is_scalar()) return nb::str(type.name.c_str());
  return type.bytes == sizeof(float) ? modules().float32 : modules().float64;
}

std::string name_of(nb::handle x) {
  std::string name = nb::type_name(x.type()).c_str();
  if (!is_numpy(x)) return name;
  return name + " of " + nb::str(nb::handle(x.attr("dtype"))).c_str() + " and shape " +
         nb::str(nb::handle(x.attr("shape"))).c_str();
}

ElementType element_type(nb::dlpack::dtype const& type) {
  using Code = nb::dlpack::dtype_code;
  std::string name = "type " + std::to_string(type.code) + " of bits ";
  switch (static_cast<Code>(type.code)) {
    case Code::Float:
      name = "float";
      break;
    case Code::Int:
      name = "int";
      break;
    case Code::UInt:
      name = "uint";
      break;
    case Code::Bfloat:
      name = "bfloat";
      break;
    case Code::Complex:
      name = "complex";
      break;
    case Code::Bool:
      return {false, std::size_t{1}, "bool"};
    default:
      break;
  }
  return {type.code == static_cast<std::uint8_t>(Code::Float) && type.lanes == 1,
          static_cast<std::size_t>(type.bits) / 8, name + std::to_string(type.bits)};
}

/// The first array sets the stream of the call.
Place place_of(Call const& call, nb::handle x, char const* name, int device_type, int device) {
  namespace device_of = nb::device;
  if (device_type == device_of::cpu::value || device_type == device_of::cuda_host::value) return {};
  if (device_type == device_of::cuda::value || device_type == device_of::cuda_managed::value) {
    if (!call.stream) {
      call.stream = nb::cast<std::uintptr_t>(modules().arrays.attr("stream")(x));
    }
    return {.is_gpu = true, .device = device, .stream = *call.stream};
  }
  call.fail_type(std::string(name) + " must be in memory of the host or of a CUDA device, found " +
                 "DLPack's device type " + std::to_string(device_type));
}

/// The stride of a dimension with one entry has no meaning: here that of contiguous rows if
/// possible.
Array array_of(Call const& call, nb::handle x, char const* name,
               nb::ndarray<nb::ro> const& imported, char const* expected) {
  Array array{.data = const_cast<void*>(static_cast<void const*>(imported.data())),
              .dimensions = static_cast<int>(imported.ndim())};
  if (array.dimensions < 1 || array.dimensions > 2) {
    std::string shape;
    for (std::size_t i = 0; i < imported.ndim(); ++i) {
      shape += (i == 0 ? "" : ", ") + std::to_string(imported.shape(i));
    }
    call.fail_value(std::string(name) + " must have " + expected + ", found shape (" + shape + ")");
  }
  for (std::size_t i = 0; i < imported.ndim(); ++i) {
    array.extents[i] = static_cast<std::int64_t>(imported.shape(i));
    array.strides[i] = imported.stride(i);
  }
  if (array.extents[0] == 0 || array.extents[1] == 0) {
    array.strides = {array.dimensions == 1 || array.extents[1] == 0 ? 1 : array.extents[1], 1};
  }
  if (array.extents[1] == 1) array.strides[1] = 1;
  if (array.extents[0] == 1) array.strides[0] = array.strides[1] == 1 ? array.extents[1] : 1;
  array.type = element_type(imported.dtype());
  array.place = place_of(call, x, name, imported.device_type(), imported.device_id());
  return array;
}

/// For objects without DLPack and buffer protocol.
nb::object through_interface(nb::handle x) {
  return modules().arrays.attr("through_interface")(x);
}

bool has_lines(Array const& x) {
  return x.strides[0] == 1 || x.strides[1] == 1 || x.extents[0] <= 1 || x.extents[1] <= 1;
}

bool is_forward(Array const& x) {
  return x.strides[0] >= 0 && (x.dimensions == 1 || x.strides[1] >= 0);
}

bool is_aligned(Array const& x) {
  return x.extents[0] == 0 || x.extents[1] == 0 ||
         reinterpret_cast<std::uintptr_t>(x.data) % x.type.bytes == 0;
}

bool is_readable(Array const& x) {
  return is_forward(x) && is_aligned(x);
}
std::string why_not_readable(Array const& x) {
  if (is_aligned(x)) return "must have strides of at least 0, found a negative stride";
  return "must be aligned, found elements of " + std::to_string(x.type.bytes) +
         " bytes at an address that is not a multiple of " + std::to_string(x.type.bytes);
}

/// Refuses masked, lazily negated or conjugated, and autograd-tracked arrays: their memory does not
/// show their values.
void require_plain(Call const& call, nb::handle x, char const* name) {
  if (is_numpy(x)) {
    if (x.type().is(modules().numpy_array) || !nb::hasattr(x, "mask")) return;
    call.fail_type(std::string(name) +
                   " must not be a masked array; pass its filled(…), or its data");
  }
  if (nb::cast<bool>(nb::getattr(x, "requires_grad", nb::bool_(false)))) {
    call.fail_type(std::string(name) + " must not require grad; pass its detach()");
  }
  Torch const* const library = torch();
  if (library == nullptr || !nb::isinstance(x, library->tensor)) return;
  if (nb::cast<bool>(x.attr("is_neg")())) {
    call.fail_type(std::string(name) + " must not be negated lazily; pass its resolve_neg()");
  }
  if (nb::cast<bool>(x.attr("is_conj")())) {
    call.fail_type(std::string(name) + " must not be conjugated lazily; pass its resolve_conj()");
  }
}

}  // namespace

void Call::fail_type(std::string const& what) const {
  throw nb::type_error(("tessera." + std::string(name) + ": " + what).c_str());
}

void Call::fail_value(std::string const& what) const {
  throw nb::value_error(("tessera." + std::string(name) + ": " + what).c_str());
}

Taken Call::any(nb::handle x, char const* what, char const* expected) const {
  nb::object object = nb::borrow(x);
  nb::ndarray<nb::ro> imported;
  bool is_bfloat16 = false;
  if (!nb::try_cast(shown(object), imported, false)) {
    // NumPy exports no bfloat16, which ml_dtypes defines.
    is_bfloat16 =
        is_numpy(x) && nb::cast<std::string>(nb::str(nb::handle(x.attr("dtype")))) == "bfloat16";
    object = is_bfloat16 ? nb::object(x.attr("view")("uint16")) : through_interface(x);
    if (object.is_none() || !nb::try_cast(object, imported, false)) {
      std::string const advice =
          may_copy ? "" : nb::cast<std::string>(modules().arrays.attr("advice")(x));
      fail_type(std::string(what) +
                " must be an array with DLPack or a buffer of native numbers, found " + name_of(x) +
                advice);
    }
  }
  require_plain(*this, object, what);
  Array array = array_of(*this, object, what, imported, expected);
  if (is_bfloat16) array.type = {false, 2, "bfloat16"};
  return {std::move(array), is_bfloat16 ? nb::borrow(x) : std::move(object), std::move(imported)};
}

namespace {

/// The begin of an error of tessera._arrays.
std::string must_be(Call const& call, char const* what) {
  return "tessera." + std::string(call.name) + ": " + what + " must be";
}

nb::object or_array(Call const& call, nb::handle x, char const* what) {
  if (!call.may_copy) return nb::borrow(x);
  return modules().arrays.attr("array")(x, must_be(call, what));
}

Taken copied(Call const& call, nb::handle x, char const* what, ElementType const& type) {
  return call.any(modules().arrays.attr("copied")(x, type.name, must_be(call, what)), what);
}

ElementType scalar_type_for(Taken const& x) {
  return x.array.type.is_scalar() ? x.array.type : ElementType{true, sizeof(double), "float64"};
}

constexpr auto with_copy = "; copy=True makes a copy";

/// A copy of complex numbers is refused, too.
std::string found_type(Array const& x) {
  bool const is_complex = std::string_view(x.type.name).starts_with("complex");
  return "found " + x.type.name + " of shape " + shape_text(x) + (is_complex ? "" : with_copy);
}

}  // namespace

Taken Call::forward(nb::handle x, char const* what, char const* expected) const {
  Taken taken = any(or_array(*this, x, what), what, expected);
  if (may_copy && !is_readable(taken.array)) {
    taken = any(modules().arrays.attr("contiguous")(taken.object), what, expected);
  }
  require_readable(taken, what);
  return taken;
}

Taken Call::matrix(nb::handle x, char const* what, bool may_be_narrow) const {
  constexpr auto expected = "two dimensions";
  Taken taken = any(or_array(*this, x, what), what, expected);
  Array const& array = taken.array;
  if (array.dimensions != 2) {
    fail_value(std::string(what) + " must have " + expected + ", found shape " + shape_text(array));
  }
  bool const is_narrow = may_be_narrow && array.type.is_narrow();
  if (may_copy &&
      !((is_narrow || array.type.is_scalar()) && is_readable(array) && has_lines(array))) {
    taken = copied(*this, taken.object, what, scalar_type_for(taken));
  } else if (!is_narrow) {
    require_scalars(taken, what);
  }
  require_readable(taken, what);
  require_lines(taken, what);
  return taken;
}

Taken Call::vector(nb::handle x, char const* what) const {
  constexpr auto expected = "one dimension";
  Taken taken = any(or_array(*this, x, what), what, expected);
  if (taken.array.dimensions != 1) {
    fail_value(std::string(what) + " must have " + expected + ", found shape " +
               shape_text(taken.array));
  }
  if (may_copy && !(taken.array.type.is_scalar() && is_readable(taken.array))) {
    taken = copied(*this, taken.object, what, scalar_type_for(taken));
  }
  require_scalars(taken, what);
  require_readable(taken, what);
  return taken;
}

Taken Call::input(nb::handle x, char const* what, ElementType const& type,
                  std::string const& model_name, char const* expected) const {
  Taken taken = any(or_array(*this, x, what), what, expected);
  if (may_copy && !(taken.array.type == type && is_readable(taken.array))) {
    taken = copied(*this, taken.object, what, type);
  }
  require_type(taken, what, type, model_name);
  require_readable(taken, what);
  return taken;
}

void Call::require_scalars(Taken const& x, char const* what) const {
  if (x.array.type.is_scalar()) return;
  fail_type(std::string(what) + " must be float32 or float64, " + found_type(x.array));
}

void Call::require_type(Taken const& x, char const* what, ElementType const& type,
                        std::string const& model_name) const {
  if (x.array.type == type) return;
  fail_type(std::string(what) + " must be " + type.name + " as " + model_name + " is, " +
            found_type(x.array));
}

void Call::require_place(Taken const& x, char const* what, Taken const& model,
                         char const* model_name) const {
  Place const& place = x.array.place;
  Place const& expected = model.array.place;
  if (place.is_gpu == expected.is_gpu && place.device == expected.device) return;
  auto const words = [](Place const& p) {
    return p.is_gpu ? "on GPU " + std::to_string(p.device) : std::string("on the host");
  };
  fail_type(std::string(what) + " of shape " + shape_text(x.array) + " is " + words(place) +
            ", and " + model_name + " of shape " + shape_text(model.array) + " " + words(expected));
}

void Call::require_readable(Taken const& x, char const* what) const {
  if (is_readable(x.array)) return;
  fail_value(std::string(what) + " of shape " + shape_text(x.array) + " " +
             why_not_readable(x.array) + with_copy);
}

void Call::require_lines(Taken const& x, char const* what) const {
  if (has_lines(x.array)) return;
  fail_value(std::string(what) + " of shape " + shape_text(x.array) +
             " must have contiguous rows or columns, found strides of " +
             std::to_string(x.array.strides[0]) + " and " + std::to_string(x.array.strides[1]) +
             " elements" + with_copy);
}

Taken Call::output(nb::handle out, char const* what, Taken const& model, int dimensions,
                   std::array<std::int64_t, 2> const& extents, ElementType const& type,
                   std::string const& model_name) const {
  nb::object object;
  if (!out.is_none()) {
    object = nb::borrow(out);
  } else {
    nb::object const shape = dimensions == 1 ? nb::object(nb::make_tuple(extents[0]))
                                             : nb::object(nb::make_tuple(extents[0], extents[1]));
    object = is_numpy(model.object)
                 ? modules().numpy_empty(shape, numpy_type(type))
                 : modules().arrays.attr("empty")(model.object, shape, type.name);
  }
  nb::ndarray<> writable;
  nb::object interface = nb::none();
  bool is_writable = nb::try_cast(shown(object), writable, false);
  if (!is_writable) {
    interface = through_interface(object);
    is_writable = !interface.is_none() && nb::try_cast(interface, writable, false);
  }
  if (!is_writable) {
    Call as_it_is = *this;
    as_it_is.may_copy = true;                        // no advice to copy
    Taken const taken = as_it_is.any(object, what);  // throws its own error if it is no array
    fail_value(std::string(what) + " of shape " + shape_text(taken.array) +
               " must be writable, found one that is read-only");
  }
  require_plain(*this, object, what);
  nb::ndarray<nb::ro> imported(writable);
  Array array =
      array_of(*this, object, what, imported, dimensions == 1 ? "one dimension" : "two dimensions");
  Taken taken{std::move(array), std::move(object), std::move(imported)};
  if (taken.array.dimensions != dimensions || taken.array.extents[0] != extents[0] ||
      (dimensions == 2 && taken.array.extents[1] != extents[1])) {
    Array expected;
    expected.dimensions = dimensions;
    expected.extents = extents;
    fail_value(std::string(what) + " must have shape " + shape_text(expected) + " for " +
               model_name + ", found shape " + shape_text(taken.array));
  }
  if (!(taken.array.type == type)) {
    fail_type(std::string(what) + " must be " + type.name + " as " + model_name + " is, found " +
              taken.array.type.name + " of shape " + shape_text(taken.array));
  }
  if (!is_readable(taken.array)) {
    fail_value(std::string(what) + " of shape " + shape_text(taken.array) + " " +
               why_not_readable(taken.array));
  }
  require_place(taken, what, model, "A");
  if (!out.is_none() && !is_numpy(taken.object)) modules().arrays.attr("written")(taken.object);
  return taken;
}

nb::object finished(Taken const& result) {
  if (result.object.type().is(modules().numpy_array)) return result.object;
  return modules().arrays.attr("finished")(result.object);
}

nb::object numpy_view(Array const& x) {
  std::array<std::size_t, 2> const shape{static_cast<std::size_t>(x.extents[0]),
                                         static_cast<std::size_t>(x.extents[1])};
  auto const bits = static_cast<std::uint8_t>(8 * x.type.bytes);
  nb::ndarray<nb::numpy> view(x.data, static_cast<std::size_t>(x.dimensions), shape.data(),
                              nb::handle(), x.strides.data(),
                              {static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float), bits, 1});
  return view.cast(nb::rv_policy::reference);
}

nb::object block_from(nb::handle read, ElementType const& type, BlockRead const& at) {
  return modules().arrays.attr("block")(read, type.name, at.first_row, at.rows, at.first_col,
                                        at.cols);
}

}  // namespace tessera::python
