package io.redelay.queue.failure;

import java.util.Arrays;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link StackDigest}.
 */
class StackDigestTests {

	private static final StackTraceElement HANDLER = frame("com.example.Orders", "handle");

	private static final StackTraceElement JDK = frame("java.util.Objects", "requireNonNull");

	private static final StackTraceElement[] BELOW = { frame("org.springframework.aop.Proxy", "invoke"),
			frame("com.example.Orders$$SpringCGLIB$$0", "handle"),
			frame("io.redelay.queue.handle.HandlerInvocation", "call"), frame("com.example.Below", "run") };

	@Test
	void showsWhereItWasThrownAndTheFramesOfTheApplication() {
		assertThat(StackDigest.of(failure("no\n order", null, JDK, HANDLER))).isEqualTo("""
				java.lang.IllegalStateException: no order
					at java.util.Objects.requireNonNull(File.java:1)
					at com.example.Orders.handle(File.java:1)""");
	}

	@Test
	void showsCausesAndWhatWasSuppressed() {
		Throwable failure = failure("outer", failure(null, null, frame("com.example.Deep", "fail")), HANDLER);
		failure.addSuppressed(failure("beside", null, frame("com.example.Other", "close")));
		assertThat(StackDigest.of(failure)).isEqualTo("""
				java.lang.IllegalStateException: outer
					at com.example.Orders.handle(File.java:1)
				Caused by: java.lang.IllegalStateException
					at com.example.Deep.fail(File.java:1)
				Suppressed: java.lang.IllegalStateException: beside
					at com.example.Other.close(File.java:1)""");
	}

	@Test
	void staysShortAndStillShowsTheFirstCause() {
		StackTraceElement[] deep = IntStream.range(0, 500)
			.mapToObj((i) -> frame("com.example.averylongpackagename.that.goes.on.Recursion", "again" + i))
			.toArray(StackTraceElement[]::new);
		Throwable failure = failure("x".repeat(5000), failure("y".repeat(5000), failure("root", null, HANDLER), deep),
				deep);
		assertThat(StackDigest.of(failure)).hasSizeLessThanOrEqualTo(2010)
			.contains("Caused by: java.lang.IllegalStateException: root\n\tat com.example.Orders.handle");
	}

	@Test
	void theClassesThatCallHandlersExist() {
		assertThat(StackDigest.CONTAINER).allSatisfy((name) -> assertThat(Class.forName(name)).isNotNull());
	}

	@Test
	void endsWithACircleOfCauses() {
		Throwable one = new IllegalStateException("one");
		Throwable other = new IllegalStateException("other", one);
		one.initCause(other);
		assertThat(StackDigest.of(one)).containsOnlyOnce("IllegalStateException: one").containsOnlyOnce("other");
	}

	private static Throwable failure(String message, Throwable cause, StackTraceElement... frames) {
		Throwable failure = new IllegalStateException(message, cause);
		StackTraceElement[] stack = Arrays.copyOf(frames, frames.length + BELOW.length);
		System.arraycopy(BELOW, 0, stack, frames.length, BELOW.length);
		failure.setStackTrace(stack);
		return failure;
	}

	private static StackTraceElement frame(String type, String method) {
		return new StackTraceElement(type, method, "File.java", 1);
	}

}
