package io.redelay.test;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.slf4j.LoggerFactory;

/**
 * What the JVM logs while a test method runs: a parameter of a method that has
 * {@code @ExtendWith(CapturedLog.Extension.class)}. Methods that run at the same time
 * have one each, and each has the lines of all of them: an assertion looks for its own
 * queue or message. Spring Boot's {@code OutputCaptureExtension} replaces
 * {@code System.out} for each method, and so breaks methods that run at the same time.
 */
public final class CapturedLog implements AutoCloseable {

	private final Queue<String> entries = new ConcurrentLinkedQueue<>();

	private final Logger root;

	private final UnsynchronizedAppenderBase<ILoggingEvent> appender = new UnsynchronizedAppenderBase<>() {

		@Override
		protected void append(ILoggingEvent event) {
			CapturedLog.this.entries.add(entry(event));
		}

	};

	private CapturedLog(LoggerContext context) {
		this.root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
		this.appender.setContext(context);
		this.appender.start();
		this.root.addAppender(this.appender);
	}

	/**
	 * Returns what was logged up to now.
	 * @return each entry as its level, its logger, its message and, in lines of its own,
	 * its stack
	 */
	public Stream<String> entries() {
		return this.entries.stream();
	}

	/**
	 * Returns the entries that have all of some parts.
	 * @param parts what to look for, such as the name of the test's queue
	 * @return the entries
	 */
	public Stream<String> entriesWith(String... parts) {
		return entries().filter((entry) -> Stream.of(parts).allMatch(entry::contains));
	}

	@Override
	public void close() {
		this.root.detachAppender(this.appender);
		this.appender.stop();
	}

	@Override
	public String toString() {
		return entries().collect(Collectors.joining("\n"));
	}

	private static String entry(ILoggingEvent event) {
		String line = "%s %s : %s".formatted(event.getLevel(), event.getLoggerName(), event.getFormattedMessage());
		IThrowableProxy failure = event.getThrowableProxy();
		return (failure != null) ? line + "\n" + ThrowableProxyUtil.asString(failure) : line;
	}

	/**
	 * Gives a test method its log, from when its parameters are resolved to its end.
	 */
	public static final class Extension implements ParameterResolver {

		@Override
		public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
			return parameter.getParameter().getType() == CapturedLog.class;
		}

		@Override
		public CapturedLog resolveParameter(ParameterContext parameter, ExtensionContext test) {
			// The store of a method closes what is in it when the method has ended.
			return test.getStore(ExtensionContext.Namespace.create(Extension.class))
				.computeIfAbsent(CapturedLog.class,
						(key) -> new CapturedLog((LoggerContext) LoggerFactory.getILoggerFactory()), CapturedLog.class);
		}

	}

}
