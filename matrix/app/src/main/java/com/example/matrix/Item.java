package com.example.matrix;

/**
 * What is sent.
 *
 * @param run the checks that it belongs to: a second run must not take the messages of
 * the first for its own
 * @param number a number
 */
public record Item(String run, int number) {

}
