/**
 * Coupons: a stock of them, of which each user gets one, first come, first served.
 */
@NullMarked
package io.redelay.samples.shop.coupon;

import org.jspecify.annotations.NullMarked;
