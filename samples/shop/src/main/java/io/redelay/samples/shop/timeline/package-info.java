/**
 * What happened to the orders of each customer, in the order in which it happened.
 */
@NullMarked
package io.redelay.samples.shop.timeline;

import org.jspecify.annotations.NullMarked;
