package io.redelay.queue.send;

import java.time.Duration;
import java.util.List;

import io.redelay.queue.MessageSendException;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.SendInterceptor;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for the keys and priorities that messages are sent with: those of their sender,
 * and those that the properties of the queue give them.
 */
class KeyPropertiesIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final String QUEUE = TestRedis.queue();

	private static final String PROPERTIES = "redelay.queue.queues." + QUEUE + ".";

	private static ListenerApplication application;

	@BeforeAll
	static void start() {
		application = ListenerApplication.on(redis)
			.bean(new TenantInterceptor())
			.with(PROPERTIES + "ordering-key", "customer-#{payload.customer}")
			.with(PROPERTIES + "fairness-key", "#{headers['tenant']}")
			.with(PROPERTIES + "fairness-weight", "#{payload.amount > 100 ? 5 : 1}")
			.with(PROPERTIES + "priority", "#{payload.amount > 9 ? 9 : payload.amount}")
			.start();
	}

	@AfterAll
	static void close() {
		application.close();
	}

	@Test
	void aMessageWithoutKeysGetsThoseOfTheQueue() {
		assertThat(sent(message(new Order("7", 200)))).satisfies((message) -> {
			assertThat(message.orderingKey()).isEqualTo("customer-7");
			assertThat(message.fairnessKey()).isEqualTo("north");
			assertThat(message.priority()).isEqualTo(9);
		});
	}

	@Test
	void whatTheSenderSaysGoesFirst() {
		assertThat(sent(message(new Order("7", 200)).key("mine").priority(0))).satisfies((message) -> {
			assertThat(message.orderingKey()).isEqualTo("mine");
			assertThat(message.fairnessKey()).isEqualTo("mine");
			assertThat(message.priority()).isZero();
		});
	}

	@Test
	void anInterceptorMaySetKeys() {
		assertThat(sent(message(new Order("7", 1)).header("intercept", "order-7")).orderingKey()).isEqualTo("order-7");
	}

	@Test
	void whatAPayloadHoldsIsNotEvaluated() {
		assertThat(sent(message(new Order("#{T(java.lang.Runtime).getRuntime()}", 1))).orderingKey())
			.isEqualTo("customer-#{T(java.lang.Runtime).getRuntime()}");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', nullValues = "null", textBlock = """
			null | 1  | ordering-key | the part #{payload.customer} is null, so different messages would share one key
			' '  | 1  | ordering-key | the part #{payload.customer} is blank
			7    | -1 | priority     | must be a whole number from 0 to 9, and is '-1'
			""")
	void aSendWithoutAUsableKeyFails(String customer, int amount, String property, String problem) {
		OutboundMessage message = message(new Order(customer, amount));
		assertThatExceptionOfType(MessageSendException.class).isThrownBy(() -> application.queues().send(message))
			.withMessageStartingWith("OutboundMessage to '" + QUEUE + "' was not sent: ")
			.withMessageContaining("'" + PROPERTIES + property + "'")
			.withMessageContaining(problem);
	}

	@Test
	void aKeyThatIsTooLongFailsTheSend() {
		OutboundMessage message = message(new Order("x".repeat(250), 1));
		assertThatExceptionOfType(MessageSendException.class).isThrownBy(() -> application.queues().send(message))
			.withMessageContaining(
					"the key that '" + PROPERTIES + "ordering-key', 'customer-#{payload.customer}', gives "
							+ "has 259 characters, and a key has at most 256");
	}

	@Test
	void whatCannotBeEvaluatedFailsTheSend() {
		assertThatExceptionOfType(MessageSendException.class)
			.isThrownBy(() -> application.queues().send(QUEUE, "no order"))
			.withMessageContaining("'" + PROPERTIES + "ordering-key'")
			.withMessageContaining("#{payload.customer} cannot be evaluated");
	}

	@Test
	void ofMessagesThatAreSentTogetherNoneIsSentIfOneHasNoKey() {
		List<OutboundMessage> messages = List.of(message(new Order("together", 1)), message(new Order(null, 1)));
		assertThatExceptionOfType(MessageSendException.class).isThrownBy(() -> application.queues().sendAll(messages));
		assertThat(
				application.bean(QueueAdmin.class).messages().browse(QUEUE, MessageState.SCHEDULED, 0, 500).messages())
			.noneMatch((message) -> "customer-together".equals(message.orderingKey()));
	}

	@Test
	void whatNeedsAnOrderingKeyHasOne() {
		String other = TestRedis.queue();
		OutboundMessage message = OutboundMessage.to(other, "x").deadHoldsKey(true);
		assertThatExceptionOfType(MessageSendException.class).isThrownBy(() -> application.queues().send(message))
			.withMessageContaining("set orderingKey, or 'redelay.queue.queues." + other + ".ordering-key'");
	}

	@Test
	void aMessageRefusesWhatNoneCanBeOrderedBy() {
		OutboundMessage message = OutboundMessage.to(QUEUE, "x");
		assertThatIllegalArgumentException().isThrownBy(() -> message.orderingKey(" "))
			.withMessage("'orderingKey' is blank: ' '");
		assertThatIllegalArgumentException().isThrownBy(() -> message.fairnessKey("a\tb"))
			.withMessageContaining("'fairnessKey' has a control character");
		assertThatIllegalArgumentException().isThrownBy(() -> message.fairnessKey("a", 101))
			.withMessage("'weight' must be 1 to 100: 101");
		assertThatIllegalArgumentException().isThrownBy(() -> message.priority(11))
			.withMessage("'priority' must be 0 to 9: 11");
		assertThatIllegalArgumentException().isThrownBy(() -> message.id("a\0b")).withMessageContaining("NUL");
	}

	private static OutboundMessage message(Order order) {
		return OutboundMessage.to(QUEUE, order).header("tenant", "north").delay(Duration.ofHours(1));
	}

	private static QueuedMessage sent(OutboundMessage message) {
		String id = application.queues().send(message).id();
		return application.bean(QueueAdmin.class).messages().find(QUEUE, id).orElseThrow();
	}

	public record Order(String customer, int amount) {

	}

	static class TenantInterceptor implements SendInterceptor {

		@Override
		public OutboundMessage beforeSend(OutboundMessage message) {
			Object key = message.headers().get("intercept");
			return (key != null) ? message.orderingKey(key.toString()) : message;
		}

	}

}
