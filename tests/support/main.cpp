#include "support/host_guard.hpp"
#include "support/sandbox.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  if (testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
  return testing_support::run_in_sandbox([] {
    // The last listener hears of a test's end first, so what it finds is printed with the test's own
    // failures.
    testing::UnitTest::GetInstance()->listeners().Append(new testing_support::HostGuard);
    return RUN_ALL_TESTS();
  });
}
