package io.redelay.migration;

import java.util.UUID;

import io.redelay.queue.MessageState;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.testing.EmbeddedRedis;
import io.redelay.testing.QueueTester;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The listeners of systems that are not there in the tests, called as these would call
 * them: a message that is delivered again is sent once.
 */
@SpringBootTest
@EmbeddedRedis
class MovingListenersIntegrationTests {

	@Autowired
	private QueueOperations queues;

	@Autowired
	private QueueTester tester;

	@BeforeEach
	void purge() {
		this.tester.purgeAll();
	}

	@Test
	void aMessageOfRqueueIsSentOnce() {
		RqueueOrders.Meanwhile listener = new RqueueOrders.Meanwhile(this.queues);
		String id = UUID.randomUUID().toString();
		listener.move(new TimeIsUp("7"), id);
		listener.move(new TimeIsUp("7"), id);
		assertThat(this.tester.messages("payment-timeout", MessageState.READY)).extracting(QueuedMessage::id)
			.containsExactly(id);
	}

	@Test
	void aMessageOfSqsIsSentOnce() {
		SqsOrders.Meanwhile listener = new SqsOrders.Meanwhile(this.queues);
		UUID id = UUID.randomUUID();
		listener.move(new TimeIsUp("7"), id);
		listener.move(new TimeIsUp("7"), id);
		assertThat(this.tester.messages("payment-timeout", MessageState.READY)).extracting(QueuedMessage::id)
			.containsExactly(id.toString());
	}

}
