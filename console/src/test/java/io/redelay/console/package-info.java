/**
 * Tests of the console.
 */
package io.redelay.console;
