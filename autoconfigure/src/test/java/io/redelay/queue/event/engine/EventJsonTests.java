package io.redelay.queue.event.engine;

import io.redelay.queue.event.QueueEvent;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link EventJson}.
 */
class EventJsonTests {

	@Test
	void anEventOfAnEarlierVersionLacksNumbers() {
		assertThat(new EventJson().read("[{\"type\":\"PAUSED\",\"queue\":\"q\",\"later\":1}]", EventJson.QUEUES,
				QueueEvent::type))
			.singleElement()
			.extracting(QueueEvent::queue, QueueEvent::messages)
			.containsExactly("q", 0L);
	}

}
