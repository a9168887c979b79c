/**
 * What operators see of an application with a web server.
 */
@NullMarked
package io.redelay.management;

import org.jspecify.annotations.NullMarked;
