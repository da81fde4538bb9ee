/*
 * GDAL's reader of JSON has a C++ interface only. What it forgives (text behind the end, bytes of zero) is
 * refused here.
 */
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include <cpl_json.h>
#include <cpl_string.h>

extern "C" {
#include "io/in/json.h"
}

namespace {

enum { MOST_ITEMS = 4096, MOST_BYTES = 16 << 20, MOST_DEPTH = 8 };

struct reading {
  gv_io *io;
  const char *name, *inner;
  gv_json_member_fn take;
  void *user;
};

gv_json_kind kind_of(const CPLJSONObject &value) {
  switch (value.GetType()) {
  case CPLJSONObject::Type::String:
    return GV_JSON_TEXT;
  case CPLJSONObject::Type::Integer:
  case CPLJSONObject::Type::Long:
  case CPLJSONObject::Type::Double:
    return GV_JSON_NUMBER;
  case CPLJSONObject::Type::Boolean:
    return value.ToBool() ? GV_JSON_TRUE : GV_JSON_FALSE;
  case CPLJSONObject::Type::Null:
    return GV_JSON_NULL;
  default:
    return GV_JSON_OTHER;
  }
}

gv_status take_member(const reading &r, const char *object, const std::string &key,
                      const CPLJSONObject &value) {
  std::vector<CPLJSONObject> values;
  bool array = value.GetType() == CPLJSONObject::Type::Array;
  if (array) {
    CPLJSONArray all = value.ToArray();
    if (all.Size() > MOST_ITEMS) {
      return gv_io_fail(r.io, GV_ERROR_INVALID_ARGUMENT,
                        "%s: \"%.80s\": too many items; at most %d are supported", r.name, key.c_str(),
                        static_cast<int>(MOST_ITEMS));
    }
    for (int i = 0; i < all.Size(); i++)
      values.push_back(all[i]);
  } else {
    values.push_back(value);
  }
  std::vector<std::string> texts(values.size());
  std::vector<gv_json_item> items(values.size());
  for (size_t i = 0; i < values.size(); i++) {
    gv_json_kind kind = kind_of(values[i]);
    if (kind == GV_JSON_TEXT || kind == GV_JSON_NUMBER) texts[i] = values[i].ToString();
    items[i] = gv_json_item{kind, texts[i].c_str()};
  }
  gv_json_member member = {object, key.c_str(), array, items.data(), static_cast<int>(items.size())};
  return r.take(r.io, r.user, &member);
}

gv_status take_object(const reading &r, const char *object, const CPLJSONObject &from) {
  gv_status status = GV_OK;
  for (const CPLJSONObject &child : from.GetChildren()) {
    std::string key = child.GetName();
    if (object == nullptr && key == r.inner) {
      if (child.GetType() != CPLJSONObject::Type::Object) {
        return gv_io_fail(r.io, GV_ERROR_INVALID_ARGUMENT, "%s: \"%s\": invalid type; expected an object",
                          r.name, r.inner);
      }
      status = take_object(r, r.inner, child);
    } else {
      status = take_member(r, object, key, child);
    }
    if (status != GV_OK) return status;
  }
  return status;
}

/* Number of members of an object, of all that is in it too. */
int64_t count_members(const CPLJSONObject &value) {
  int64_t count = 0;
  if (value.GetType() == CPLJSONObject::Type::Array) {
    CPLJSONArray all = value.ToArray();
    for (int i = 0; i < all.Size(); i++)
      count += count_members(all[i]);
  } else if (value.GetType() == CPLJSONObject::Type::Object) {
    for (const CPLJSONObject &child : value.GetChildren())
      count += 1 + count_members(child);
  }
  return count;
}

/* Where the first object or array ends; 0 if it does not, or is nested too deeply. *members: as written,
 * which is one a colon. */
size_t end_of_value(const char *text, size_t length, int64_t *members) {
  *members = 0;
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < length; i++) {
    char c = text[i];
    if (quoted) {
      if (c == '\\') i++;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == ':') {
      ++*members;
    } else if (c == '{' || c == '[') {
      if (++depth > MOST_DEPTH) return 0;
    } else if ((c == '}' || c == ']') && --depth <= 0) {
      return i + 1;
    }
  }
  return 0;
}

/* An escaped NUL, at which texts of C would end. */
bool has_nul(const char *text, size_t length) {
  for (size_t i = 0; i + 5 < length; i++) {
    if (text[i] != '\\') continue;
    if (std::strncmp(text + i + 1, "u0000", 5) == 0) return true;
    i++;
  }
  return false;
}

/* False: invalid. */
bool load(const char *text, size_t length, CPLJSONDocument *document) {
  return document->LoadMemory(reinterpret_cast<const GByte *>(text), static_cast<int>(length)) &&
         document->GetRoot().GetType() == CPLJSONObject::Type::Object;
}

gv_status read(const reading &r, const char *text, size_t length) {
  if (length > MOST_BYTES) {
    return gv_io_fail(r.io, GV_ERROR_INVALID_ARGUMENT,
                      "%s: too large for a description; at most %d MiB are supported", r.name,
                      MOST_BYTES >> 20);
  }
  int64_t members = 0;
  size_t end = end_of_value(text, length, &members);
  if (end == 0 || std::memchr(text, 0, length) != nullptr || text[std::strspn(text, " \t\r\n")] != '{') {
    return gv_io_fail(r.io, GV_ERROR_INVALID_ARGUMENT,
                      "%s: invalid JSON, or nested too deeply; expected an object", r.name);
  }
  if (!CPLIsUTF8(text, static_cast<int>(length))) {
    return gv_io_fail(r.io, GV_ERROR_INVALID_ARGUMENT, "%s: invalid JSON; expected UTF-8", r.name);
  }
  if (has_nul(text, end))
    return gv_io_fail(r.io, GV_ERROR_INVALID_ARGUMENT, "%s: invalid character in a text (\\u0000)", r.name);
  for (size_t i = end; i < length; i++) {
    if (std::strchr(" \t\r\n", text[i]) != nullptr) continue;
    return gv_io_fail(r.io, GV_ERROR_INVALID_ARGUMENT, "%s: invalid JSON; text follows the object", r.name);
  }
  /* GDAL leaves out members for which memory fails, and reports no error: two results that differ show it. */
  CPLJSONDocument document, again;
  gv_gdal_reset();
  bool loaded = load(text, end, &document);
  if (load(text, end, &again) != loaded) return gv_io_fail_memory(r.io, "a description");
  if (!loaded) {
    return gv_io_fail_gdal(r.io, GV_ERROR_INVALID_ARGUMENT, "%s: invalid JSON; expected an object", r.name);
  }
  const CPLJSONObject root = document.GetRoot();
  constexpr auto plain = CPLJSONObject::PrettyFormat::Plain;
  if (root.Format(plain) != again.GetRoot().Format(plain)) return gv_io_fail_memory(r.io, "a description");
  /* GDAL keeps one of several members with a name. */
  if (count_members(root) != members)
    return gv_io_fail(r.io, GV_ERROR_INVALID_ARGUMENT, "%s: invalid JSON; a member is given twice", r.name);
  return take_object(r, nullptr, root);
}

} // namespace

gv_status gv_json_read(gv_io *io, const char *text, size_t length, const char *name, const char *inner,
                       gv_json_member_fn take, void *user) {
  reading r = {io, name, inner, take, user};
  try {
    return read(r, text, length);
  } catch (const std::bad_alloc &) {
    return gv_io_fail_memory(io, "a description");
  }
}
