/**
 * Accounts, and the money in them.
 */
@NullMarked
package io.redelay.samples.shop.account;

import org.jspecify.annotations.NullMarked;
