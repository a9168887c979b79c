package io.redelay.queue.config;

import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.redelay.queue.HandlingOptions;
import io.redelay.queue.QueueListener;
import io.redelay.queue.handle.Delivery;
import io.redelay.queue.handle.DeliveryHandler;
import io.redelay.queue.handle.OfflineContainer;
import io.redelay.queue.message.Envelope;
import io.redelay.queue.message.EnvelopeCodec;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.messaging.converter.ByteArrayMessageConverter;
import org.springframework.messaging.converter.CompositeMessageConverter;
import org.springframework.messaging.converter.JacksonJsonMessageConverter;
import org.springframework.messaging.converter.MessageConverter;
import org.springframework.messaging.converter.StringMessageConverter;
import org.springframework.util.ReflectionUtils;

/**
 * How long it takes to call a listener's method with a payload that is made a record
 * first, and to do the same by hand.
 * <p>
 * In the package of what it measures, of which nothing is public.
 *
 * @since 0.1.0
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class HandlerInvocationBenchmark {

	private static final byte[] PAYLOAD = """
			{"number":4711,"at":1795196096000000,"customer":"amy@example","item":"book","note":"Leave it with the \
			neighbours on the second floor if nobody opens. Leave it with them also if somebody does. Thank you."}"""
		.getBytes(StandardCharsets.UTF_8);

	private final JsonMapper mapper = JsonMapper.shared();

	private final MessageConverter converter = converter(this.mapper);

	private final Orders orders = new Orders();

	private final DeliveryHandler handler = handler(this.orders, this.converter);

	private final Delivery delivery = new OfflineContainer(1).delivery(new EnvelopeCodec()
		.write(new Envelope("order-7", Map.of("tenant", "north"), null, Envelope.Lifetime.NONE, false,
				Envelope.Keys.NONE, HandlingOptions.NONE, "application/json", PAYLOAD, Instant.EPOCH, Instant.EPOCH)));

	/**
	 * Has the handler do it, as a container does.
	 * @return what the method was called with
	 * @throws Throwable if the method failed
	 */
	@Benchmark
	public @Nullable Order handler() throws Throwable {
		this.handler.handle(List.of(this.delivery));
		return this.orders.last;
	}

	/**
	 * Makes the message and converts it as the handler does, but calls the method itself.
	 * @return what the method was called with
	 */
	@Benchmark
	public @Nullable Order converter() {
		if (this.converter.fromMessage(this.delivery.message(), Order.class) instanceof Order order) {
			this.orders.handle(order);
		}
		return this.orders.last;
	}

	/**
	 * Reads the bytes and calls the method, with no message.
	 * @return what the method was called with
	 */
	@Benchmark
	public @Nullable Order direct() {
		this.orders.handle(this.mapper.readValue(PAYLOAD, Order.class));
		return this.orders.last;
	}

	/**
	 * As the auto-configuration makes it.
	 */
	private static MessageConverter converter(JsonMapper mapper) {
		StringMessageConverter text = new StringMessageConverter();
		text.setContentTypeResolver((headers) -> null);
		ByteArrayMessageConverter bytes = new ByteArrayMessageConverter();
		bytes.setContentTypeResolver((headers) -> null);
		return new CompositeMessageConverter(List.of(text, bytes, new JacksonJsonMessageConverter(mapper)));
	}

	private static DeliveryHandler handler(Orders orders, MessageConverter converter) {
		Method method = ReflectionUtils.findMethod(Orders.class, "handle", Order.class);
		QueueListener annotation = (method != null)
				? AnnotatedElementUtils.findMergedAnnotation(method, QueueListener.class) : null;
		if (method == null || annotation == null) {
			throw new IllegalStateException("There is no method 'handle' that listens");
		}
		DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
		return new DeliveryHandlerFactory(beans, converter, null, new AttributeResolver(beans), Runnable::run)
			.create(QueueListenerEndpoint.ofMethod("orders", orders, method, annotation, "orders"));
	}

	/**
	 * What the payload becomes.
	 *
	 * @param number a number
	 * @param at a time
	 * @param customer a word
	 * @param item a word
	 * @param note fills it up
	 */
	public record Order(int number, long at, String customer, String item, String note) {

	}

	/**
	 * Has a method that listens.
	 */
	public static class Orders {

		private @Nullable Order last;

		/**
		 * Takes note of what came.
		 * @param order what came
		 */
		@QueueListener("benchmark")
		public void handle(Order order) {
			this.last = order;
		}

	}

}
