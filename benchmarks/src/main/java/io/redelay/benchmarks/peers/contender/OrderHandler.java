package io.redelay.benchmarks.peers.contender;

import java.util.function.Consumer;

/**
 * Is given each message by the handler of a contender.
 */
@FunctionalInterface
interface OrderHandler extends Consumer<Order> {

}
