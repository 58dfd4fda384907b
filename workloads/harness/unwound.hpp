// Whether an object ends because an exception passes it.
#pragma once

#include <exception>

namespace goodsyard {

/// A member of the object, made with it. What an object that is unwound would report is a consequence of the
/// exception, which says more.
class Unwound {
  public:
    [[nodiscard]] explicit operator bool() const { return std::uncaught_exceptions() > before_; }

  private:
    int before_ = std::uncaught_exceptions();
};

} // namespace goodsyard
