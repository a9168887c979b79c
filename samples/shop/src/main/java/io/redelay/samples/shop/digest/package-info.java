/**
 * News for customers, many of them in one mail.
 */
@NullMarked
package io.redelay.samples.shop.digest;

import org.jspecify.annotations.NullMarked;
