package io.redelay.testing;

import io.redelay.queue.QueueListener;

import org.springframework.stereotype.Component;

/**
 * A listener that a test can leave out.
 */
@Component
class OtherListener {

	@QueueListener(queues = "others")
	void handle(String payload) {
	}

}
