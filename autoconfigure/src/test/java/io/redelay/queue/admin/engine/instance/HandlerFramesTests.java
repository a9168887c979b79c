package io.redelay.queue.admin.engine.instance;

import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.redelay.queue.admin.HandlerStack;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link HandlerFrames}.
 */
class HandlerFramesTests {

	private static final StackTraceElement[] STACK = { frame("java.net.Socket", "read"),
			frame("org.postgresql.core.VisibleBufferedInputStream", "readMore"),
			frame("com.acme.orders.OrderRepository", "find"),
			frame("com.acme.orders.OrderRepository$$SpringCGLIB$$0", "find"),
			frame("org.springframework.transaction.interceptor.TransactionInterceptor", "invoke"),
			frame("com.acme.shop.OrderListener", "handle"), frame("java.lang.reflect.Method", "invoke"),
			frame("io.redelay.queue.config.MethodDeliveryHandler", "handle"),
			frame("io.redelay.queue.handle.HandlerInvocation", "call"), frame("com.acme.Executor", "run") };

	@Test
	void framesOfTheHandlersPackagesAreMarked() {
		HandlerFrames frames = HandlerFrames.of(STACK);
		assertThat(frames.frames()).hasSameSizeAs(STACK)
			.filteredOn(HandlerStack.Frame::application)
			.extracting(HandlerStack.Frame::type)
			.startsWith("com.acme.orders.OrderRepository", "com.acme.shop.OrderListener")
			.doesNotContain("org.postgresql.core.VisibleBufferedInputStream",
					"com.acme.orders.OrderRepository$$SpringCGLIB$$0");
		assertThat(frames.omitted()).isZero();
	}

	@Test
	void theLineIsTheInnermostFrameOfTheApplication() {
		HandlerStack.Frame line = HandlerFrames.line(STACK);
		assertThat(line.type()).isEqualTo("com.acme.orders.OrderRepository");
		assertThat(line.method()).isEqualTo("find");
		assertThat(line.line()).isEqualTo(42);
		assertThat(HandlerFrames.line(new StackTraceElement[0])).isNull();
		assertThat(HandlerFrames.line(new StackTraceElement[] { frame("java.lang.Thread", "run") })).isNull();
	}

	@Test
	void aDeepStackIsCutOffAtItsEnd() {
		HandlerFrames frames = HandlerFrames
			.of(Stream.concat(IntStream.range(0, 5000).mapToObj((i) -> frame("com.acme.A", "m" + i)), Stream.of(STACK))
				.toArray(StackTraceElement[]::new));
		assertThat(frames.frames()).hasSizeBetween(100, 200).element(0).extracting("method").isEqualTo("m0");
		assertThat(frames.omitted()).isEqualTo(5000 + STACK.length - frames.frames().size());
	}

	@Test
	void longNamesAreCutAndTakeRoom() {
		HandlerFrames frames = HandlerFrames.of(IntStream.range(0, 200)
			.mapToObj((i) -> frame("com.acme." + "A".repeat(60_000), "m".repeat(60_000)))
			.toArray(StackTraceElement[]::new));
		assertThat(frames.frames().get(0).type()).hasSize(300).endsWith("…");
		assertThat(frames.frames().stream().mapToInt((each) -> each.type().length() + each.method().length()).sum())
			.isLessThan(16 * 1024);
	}

	private static StackTraceElement frame(String type, String method) {
		return new StackTraceElement(type, method, type.substring(type.lastIndexOf('.') + 1) + ".java", 42);
	}

}
