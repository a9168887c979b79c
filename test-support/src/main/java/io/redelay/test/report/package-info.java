/**
 * The report of a build on its tests.
 */
@NullMarked
package io.redelay.test.report;

import org.jspecify.annotations.NullMarked;
