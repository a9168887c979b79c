/**
 * What is in stock, and deliveries that are imported.
 */
@NullMarked
package io.redelay.samples.shop.stock;

import org.jspecify.annotations.NullMarked;
