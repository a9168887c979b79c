package io.redelay.queue.failure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Shortens a stack trace to the lines that are kept with a message. For the failure, each
 * of its causes and its suppressed exceptions, these are the frame that threw it and the
 * frames of the application.
 * <p>
 * Spring Boot's {@code StandardStackTracePrinter} limits the length of the whole, which
 * cuts off the first cause. It also follows causes without a limit, and writes how many
 * frames it left out between those of the application. And this package does not depend
 * on Spring Boot.
 *
 * @since 0.1.0
 */
public final class StackDigest {

	private static final int LONGEST = 2000;

	private static final int LONGEST_MESSAGE = 200;

	private static final int MAX_CAUSES = 8;

	private static final int MAX_SUPPRESSED = 3;

	private static final int MAX_FRAMES = 12;

	/**
	 * Prefixes of classes whose frames are left out.
	 */
	private static final List<String> FRAMEWORKS = List.of("java.", "javax.", "jakarta.", "jdk.", "sun.", "com.sun.",
			"kotlin.", "kotlinx.", "scala.", "groovy.", "org.codehaus.groovy.", "org.springframework.",
			"org.aopalliance.", "reactor.", "io.micrometer.", "io.netty.", "org.redisson.", "tools.jackson.",
			"com.fasterxml.jackson.", "org.hibernate.", "com.zaxxer.hikari.", "io.redelay.queue.config.",
			"io.redelay.queue.observation.", "io.redelay.lock.");

	/**
	 * The classes that call handlers: their frame and those below it are left out.
	 */
	static final List<String> CONTAINER = List.of("io.redelay.queue.config.MethodDeliveryHandler",
			"io.redelay.queue.handle.HandlerInvocation");

	private static final List<String> PROXIES = List.of("$$SpringCGLIB$$", "$$FastClass");

	private StackDigest() {
	}

	static String of(Throwable failure) {
		List<Throwable> chain = chain(failure);
		List<Throwable> suppressed = Arrays.stream(failure.getSuppressed()).limit(MAX_SUPPRESSED).toList();
		int room = LONGEST / (chain.size() + suppressed.size());
		List<String> parts = new ArrayList<>();
		chain.forEach((each) -> parts.add(part(parts.isEmpty() ? "" : "Caused by: ", each, room)));
		suppressed.forEach((each) -> parts.add(part("Suppressed: ", each, room)));
		return String.join("\n", parts);
	}

	private static List<Throwable> chain(Throwable failure) {
		List<Throwable> chain = new ArrayList<>();
		Throwable each = failure;
		while (each != null && chain.size() < MAX_CAUSES && !isAmong(chain, each)) {
			chain.add(each);
			each = Causes.of(each);
		}
		return chain;
	}

	private static boolean isAmong(List<Throwable> chain, Throwable failure) {
		return chain.stream().anyMatch((each) -> each == failure);
	}

	private static String part(String prefix, Throwable failure, int room) {
		String lines = prefix + String.join("\n\tat ", lines(failure));
		return (lines.length() > room) ? lines.substring(0, room - 1) + "…" : lines;
	}

	private static List<String> lines(Throwable failure) {
		List<String> lines = new ArrayList<>();
		lines.add(failure.getClass().getName() + message(failure.getMessage()));
		StackTraceElement[] stack = failure.getStackTrace();
		for (int i = 0; i < stack.length && lines.size() <= MAX_FRAMES && !isContainer(stack[i]); i++) {
			if (i == 0 || isApplication(stack[i])) {
				lines.add(stack[i].toString());
			}
		}
		return lines;
	}

	private static String message(@Nullable String message) {
		if (message == null) {
			return "";
		}
		String cut = (message.length() > LONGEST_MESSAGE) ? message.substring(0, LONGEST_MESSAGE - 1) + "…" : message;
		return ": " + cut.replaceAll("\\s*\\R\\s*", " ");
	}

	/**
	 * Returns whether a frame is of what calls handlers, so that it and those below it
	 * are none of a handler.
	 * @param frame the frame
	 * @return whether it is
	 */
	public static boolean isContainer(StackTraceElement frame) {
		return CONTAINER.contains(frame.getClassName());
	}

	/**
	 * Returns whether a frame is of no known framework.
	 * @param frame the frame
	 * @return whether it may be one of the application
	 */
	public static boolean isApplication(StackTraceElement frame) {
		String name = frame.getClassName();
		return FRAMEWORKS.stream().noneMatch(name::startsWith) && PROXIES.stream().noneMatch(name::contains);
	}

}
