/**
 * Prices, and lists of prices that are imported.
 */
@NullMarked
package io.redelay.samples.shop.price;

import org.jspecify.annotations.NullMarked;
