/**
 * What a build says about its tests at the end.
 */
@NullMarked
package io.redelay.test.report;

import org.jspecify.annotations.NullMarked;
