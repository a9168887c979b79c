/**
 * Orders, which are cancelled when they are not paid in time.
 */
@NullMarked
package io.redelay.samples.shop.order;

import org.jspecify.annotations.NullMarked;
