/**
 * What the shop's controllers have in common.
 */
@NullMarked
package io.redelay.samples.shop.web;

import org.jspecify.annotations.NullMarked;
