package io.redelay.outbox.jdbc;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import io.redelay.outbox.OutboxEntry;
import io.redelay.outbox.OutboxListener;
import io.redelay.queue.Deduplication;
import io.redelay.queue.MessageSendException;
import io.redelay.queue.message.MessageKeys;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.request.StoreException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a relay does with a batch, on H2 and with a sender that refuses what it is asked
 * to refuse.
 */
class RelayRoundTests {

	private static final RelaySettings SETTINGS = new RelaySettings(1, 10, Duration.ofSeconds(1), Duration.ofMinutes(1),
			Duration.ofMinutes(1), Duration.ofMinutes(4));

	private final DriverManagerDataSource database = new DriverManagerDataSource(
			"jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");

	private final JdbcClient jdbc = JdbcClient.create(this.database);

	private final OutboxTable table = new OutboxTable(this.database, OutboxDialect.H2);

	private final List<String> sent = new ArrayList<>();

	private boolean away;

	@BeforeEach
	void createTable() {
		new OutboxMigrations(this.database, OutboxDialect.H2).apply();
	}

	@Test
	void oneThatIsRefusedHoldsUpThoseOfItsKeyAndNoOthers() {
		for (String uid : List.of("a1:k", "b1", "poison:k", "a2:k", "c1", "a3:l")) {
			write(uid);
		}
		RelayRound.Result result = round().run();
		assertThat(this.sent).containsExactly("a1:k", "b1", "c1", "a3:l");
		assertThat(result.taken()).isEqualTo(6);
		assertThat(result.nextTry()).isEqualTo(Duration.ofMinutes(1));
		assertThat(round().run().taken()).as("the one behind it waits").isZero();
		List<OutboxEntry> left = this.table.list(0, 10, false);
		assertThat(left).extracting(OutboxEntry::messageId).containsExactly("poison:k", "a2:k");
		assertThat(left).extracting(OutboxEntry::attempts).containsExactly(1, 0);
		assertThat(left.get(0).failure()).isEqualTo("refused by a test");
	}

	@Test
	void aTopicAndAQueueOfOneNameDoNotHoldUpEachOther() {
		write("poison:k");
		write("a1:k");
		this.jdbc.sql("UPDATE redelay_outbox SET topic = TRUE WHERE uid = 'a1:k'").update();
		assertThat(this.table.take(1, 1000, Duration.ofMinutes(1))).hasSize(1);
		round().run();
		assertThat(this.sent).containsExactly("a1:k");
	}

	/**
	 * As when a version of Redelay or Redisson has a defect.
	 */
	@Test
	void whateverASendFailsWithHoldsUpNoOthers() {
		for (String uid : List.of("b1", "broken", "b2", "b3")) {
			write(uid);
		}
		round().run();
		assertThat(this.sent).containsExactlyInAnyOrder("b1", "b2", "b3");
		assertThat(this.table.list(0, 10, true)).singleElement().satisfies((entry) -> {
			assertThat(entry.messageId()).isEqualTo("broken");
			assertThat(entry.failure()).contains("IllegalStateException: a defect");
		});
	}

	@Test
	void aClockThatGoesBackMakesNoDelayLonger() {
		write("b1");
		this.jdbc.sql("UPDATE redelay_outbox SET delay_millis = 1000, seen_at = 4000000000000").update();
		assertThat(this.table.take(1, 1000, Duration.ofMinutes(1))).singleElement()
			.satisfies((row) -> assertThat(row.delay()).isEqualTo(Duration.ofSeconds(1)));
	}

	@Test
	void whatCannotBeReadStaysWithItsReason() {
		write("b1");
		write("b2");
		this.jdbc.sql("UPDATE redelay_outbox SET message = 'garbage' WHERE uid = 'b1'").update();
		round().run();
		assertThat(this.sent).containsExactly("b2");
		assertThat(this.table.list(0, 10, true)).singleElement()
			.satisfies((entry) -> assertThat(entry.failure()).contains("written by another version"));
	}

	@Test
	void nothingIsHeldAgainstAMessageWhileRedisIsAway() {
		write("a1:k");
		write("b1");
		this.away = true;
		assertThat(round().run().away()).isTrue();
		assertThat(this.table.list(0, 10, false)).hasSize(2).allSatisfy((entry) -> {
			assertThat(entry.attempts()).isZero();
			assertThat(entry.failure()).isNull();
			assertThat(entry.nextAttempt()).isNull();
		});
		this.away = false;
		round().run();
		assertThat(this.sent).containsExactly("a1:k", "b1");
	}

	@Test
	void aRelayThatDiedHoldsUpItsKeyUntilItsLeaseEnds() {
		write("a1:k");
		assertThat(this.table.take(10, 1000, Duration.ofMinutes(1))).hasSize(1);
		write("a2:k");
		write("b1");
		round().run();
		assertThat(this.sent).containsExactly("b1");
		this.jdbc.sql("UPDATE redelay_outbox SET free_at = 1 WHERE uid = 'a1:k'").update();
		round().run();
		assertThat(this.sent).containsExactly("b1", "a1:k", "a2:k");
	}

	@Test
	void aBatchEndsWhereItWouldBeTooLarge() {
		write("b1");
		write("b2");
		assertThat(this.table.take(10, 1, Duration.ofMinutes(1))).hasSize(1);
		assertThat(this.table.take(10, 1, Duration.ofMinutes(1))).hasSize(1);
	}

	@Test
	void aMessageIsReadAsItWasWritten() {
		NewMessage message = new NewMessage("u-1", "id 1", null, null,
				"{\"payload\":\"é\\u0000\"}".getBytes(StandardCharsets.UTF_8),
				new MessageKeys("o", "f", 3, 7, Duration.ofSeconds(9), true).tagged(List.of("order:7", "a \"b")),
				Deduplication.debounce("d", Duration.ofSeconds(1), Duration.ofSeconds(2)));
		NewMessage read = MessageText.read(MessageText.write("orders", message), Duration.ofSeconds(5));
		assertThat(read.uid()).isEqualTo("u-1");
		assertThat(read.id()).isEqualTo("id 1");
		assertThat(read.delay()).isEqualTo(Duration.ofSeconds(5));
		assertThat(read.keys()).isEqualTo(message.keys());
		assertThat(read.deduplication()).isEqualTo(message.deduplication());
		assertThat(read.envelope()).isEqualTo(message.envelope());
	}

	/**
	 * Writes a message, with the ordering key that stands behind a colon.
	 */
	private void write(String uid) {
		String key = uid.contains(":") ? uid.split(":")[1] : null;
		String text = MessageText.write("orders",
				new NewMessage(uid, null, null, null, "{}".getBytes(StandardCharsets.UTF_8)));
		this.jdbc.sql(
				"INSERT INTO redelay_outbox (uid, destination, topic, ordering_key, message, message_size, written_at) "
						+ "VALUES (?, 'orders', FALSE, ?, ?, ?, 0)")
			.params(uid, key, text, text.length())
			.update();
	}

	private RelayRound round() {
		return new RelayRound(this.table, (to, messages) -> send(messages), SETTINGS, List.of(new Thrower()),
				new FailureLog());
	}

	private void send(List<NewMessage> messages) {
		if (this.away) {
			throw new MessageSendException("away", new StoreException("away", null, true));
		}
		if (messages.stream().anyMatch((message) -> message.uid().startsWith("poison"))) {
			throw new MessageSendException("refused by a test", null);
		}
		if (messages.stream().anyMatch((message) -> message.uid().startsWith("broken"))) {
			throw new IllegalStateException("a defect");
		}
		messages.forEach((message) -> this.sent.add(message.uid()));
	}

	/**
	 * Changes nothing.
	 */
	private static final class Thrower implements OutboxListener {

		@Override
		public void onRelayed(String destination, int count) {
			throw new IllegalStateException("thrown by a test");
		}

		@Override
		public void onFailed(String destination, int count, Throwable failure) {
			throw new LinkageError("thrown by a test");
		}

	}

}
