package io.redelay.console;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * All sources of the console, by name.
 * <p>
 * Safe for use by many threads.
 */
final class Sources implements SmartLifecycle, AutoCloseable {

	private final Map<String, Source> sources = new LinkedHashMap<>();

	private final AtomicBoolean begun = new AtomicBoolean();

	private volatile boolean running;

	Sources(ApplicationContext console) {
		SourceSettings.of(console.getEnvironment())
			.forEach((settings) -> this.sources.put(settings.name(), new Source(settings, console)));
	}

	Collection<String> names() {
		return this.sources.keySet();
	}

	/**
	 * Returns the source whose endpoints a request is for.
	 * @param request the request
	 * @return the source, or {@code null}
	 */
	@Nullable Source of(HttpServletRequest request) {
		String path = request.getRequestURI().substring(request.getContextPath().length());
		String[] segments = path.split("/", 4);
		boolean isEndpoint = segments.length > 2 && (segments[2].equals("queues") || segments[2].equals("locks"));
		return isEndpoint ? this.sources.get(segments[1]) : null;
	}

	@Override
	public void start() {
		this.running = true;
		if (this.begun.compareAndSet(false, true)) {
			this.sources.values().forEach(Source::start);
		}
	}

	@Override
	public void stop() {
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public void close() {
		this.sources.values().forEach(Source::close);
	}

}
