/**
 * Notifications that each instance receives, and the front end is given once.
 */
@NullMarked
package io.redelay.samples.shop.notification;

import org.jspecify.annotations.NullMarked;
