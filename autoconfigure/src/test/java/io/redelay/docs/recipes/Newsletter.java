package io.redelay.docs.recipes;

import java.time.Duration;
import java.util.List;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueOperations;

import org.springframework.stereotype.Component;

@Component
class Newsletter {

	private static final int PART = 5_000;

	private final QueueOperations queues;

	Newsletter(QueueOperations queues) {
		this.queues = queues;
	}

	void send(String issue, List<String> readers) {
		for (int from = 0; from < readers.size(); from += PART) {
			List<String> part = readers.subList(from, Math.min(from + PART, readers.size()));
			this.queues.sendAll(part.stream()
				.map((reader) -> OutboundMessage.to("newsletters", reader)
					.id(issue + "/" + reader)
					.spread(Duration.ofMinutes(30)))
				.toList());
		}
	}

}
