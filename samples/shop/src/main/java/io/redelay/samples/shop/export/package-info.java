/**
 * All orders as a file: work that takes long, so it reports how far it is, can be
 * cancelled, and goes on where it was when its instance stops or dies.
 */
@NullMarked
package io.redelay.samples.shop.export;

import org.jspecify.annotations.NullMarked;
