package io.redelay.testing;

import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;

/**
 * Makes the contexts of {@link RedelayTest}.
 */
final class RedelayTestContextBootstrapper extends TestSliceTestContextBootstrapper<RedelayTest> {

}
