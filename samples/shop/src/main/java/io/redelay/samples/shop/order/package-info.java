/**
 * Orders: a reminder is mailed for those that are not paid soon, and those that are not
 * paid in time are cancelled.
 */
@NullMarked
package io.redelay.samples.shop.order;

import org.jspecify.annotations.NullMarked;
