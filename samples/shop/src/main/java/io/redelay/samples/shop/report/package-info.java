/**
 * The report of each night.
 */
@NullMarked
package io.redelay.samples.shop.report;

import org.jspecify.annotations.NullMarked;
