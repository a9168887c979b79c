package io.redelay.log;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The log of a class of Redelay. It writes each message, and the messages of each
 * exception, as {@link PlainText}: an id, a header or a failure with a line break would
 * otherwise forge a line.
 *
 * @since 0.1.0
 */
public final class PlainLog implements Log {

	private final Log log;

	private PlainLog(Log log) {
		this.log = log;
	}

	/**
	 * Returns the log of a class.
	 * @param type the class
	 * @return its log
	 */
	public static Log of(Class<?> type) {
		return new PlainLog(LogFactory.getLog(type));
	}

	/**
	 * Returns the log of a name.
	 * @param name the name
	 * @return its log
	 */
	public static Log of(String name) {
		return new PlainLog(LogFactory.getLog(name));
	}

	private static @Nullable Object plain(@Nullable Object message) {
		return (message != null) ? PlainText.of(message.toString()) : null;
	}

	/**
	 * The failure itself if its messages are plain, or if they cannot be read.
	 */
	private static @Nullable Throwable plain(@Nullable Throwable failure) {
		return (failure != null) ? PlainFailure.of(failure) : null;
	}

	@Override
	public boolean isFatalEnabled() {
		return this.log.isFatalEnabled();
	}

	@Override
	public boolean isErrorEnabled() {
		return this.log.isErrorEnabled();
	}

	@Override
	public boolean isWarnEnabled() {
		return this.log.isWarnEnabled();
	}

	@Override
	public boolean isInfoEnabled() {
		return this.log.isInfoEnabled();
	}

	@Override
	public boolean isDebugEnabled() {
		return this.log.isDebugEnabled();
	}

	@Override
	public boolean isTraceEnabled() {
		return this.log.isTraceEnabled();
	}

	@Override
	public void fatal(@Nullable Object message) {
		this.log.fatal(plain(message));
	}

	@Override
	public void fatal(@Nullable Object message, @Nullable Throwable failure) {
		this.log.fatal(plain(message), plain(failure));
	}

	@Override
	public void error(@Nullable Object message) {
		this.log.error(plain(message));
	}

	@Override
	public void error(@Nullable Object message, @Nullable Throwable failure) {
		this.log.error(plain(message), plain(failure));
	}

	@Override
	public void warn(@Nullable Object message) {
		this.log.warn(plain(message));
	}

	@Override
	public void warn(@Nullable Object message, @Nullable Throwable failure) {
		this.log.warn(plain(message), plain(failure));
	}

	@Override
	public void info(@Nullable Object message) {
		this.log.info(plain(message));
	}

	@Override
	public void info(@Nullable Object message, @Nullable Throwable failure) {
		this.log.info(plain(message), plain(failure));
	}

	@Override
	public void debug(@Nullable Object message) {
		if (isDebugEnabled()) {
			this.log.debug(plain(message));
		}
	}

	@Override
	public void debug(@Nullable Object message, @Nullable Throwable failure) {
		if (isDebugEnabled()) {
			this.log.debug(plain(message), plain(failure));
		}
	}

	@Override
	public void trace(@Nullable Object message) {
		if (isTraceEnabled()) {
			this.log.trace(plain(message));
		}
	}

	@Override
	public void trace(@Nullable Object message, @Nullable Throwable failure) {
		if (isTraceEnabled()) {
			this.log.trace(plain(message), plain(failure));
		}
	}

}
