/** The chain to a GPU, through a driver that has none: fake_driver.cpp. Start at FakeDriver. */
package dev.heddle.tests.gpu;
