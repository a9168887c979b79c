package io.redelay.benchmarks.choice;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueOperations;

/**
 * Sends many messages, as fast as it can.
 *
 * @param queues sends them
 */
record Filling(QueueOperations queues) {

	private static final int TOGETHER = 1000;

	void fill(int count, Supplier<OutboundMessage> message) {
		for (int sent = 0; sent < count; sent += TOGETHER) {
			List<OutboundMessage> messages = new ArrayList<>(TOGETHER);
			for (int i = sent; i < Math.min(count, sent + TOGETHER); i++) {
				messages.add(message.get());
			}
			this.queues.sendAll(messages);
		}
	}

}
