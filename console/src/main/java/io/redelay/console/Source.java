package io.redelay.console;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.redelay.log.PlainLog;
import jakarta.servlet.http.HttpServletRequest;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationFilter;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.convert.ConversionServiceParameterValueMapper;
import org.springframework.boot.actuate.endpoint.web.EndpointLinksResolver;
import org.springframework.boot.actuate.endpoint.web.EndpointMapping;
import org.springframework.boot.actuate.endpoint.web.EndpointMediaTypes;
import org.springframework.boot.actuate.endpoint.web.WebOperation;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpointDiscoverer;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.webmvc.actuate.endpoint.web.WebMvcEndpointHandlerMapping;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.web.servlet.HandlerExecutionChain;

/**
 * A Redis that the console shows. It connects on a thread of its own, and tries again as
 * long as that fails, so that the console starts and shows the others meanwhile. Once it
 * is connected, its client does the rest.
 * <p>
 * Safe for use by many threads.
 */
final class Source implements AutoCloseable {

	private static final Log logger = PlainLog.of(Source.class);

	/**
	 * How many requests to a source may wait for its Redis, so that those of a Redis that
	 * gives no answer leave threads for the others.
	 */
	private static final int MOST_REQUESTS = 16;

	private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(15);

	private final SourceSettings settings;

	private final ApplicationContext console;

	private final Semaphore requests = new Semaphore(MOST_REQUESTS);

	private final CountDownLatch closing = new CountDownLatch(1);

	private volatile @Nullable Connected connected;

	private volatile String failure = "it has not answered yet";

	/**
	 * Creates a source that is not connected.
	 * @param settings where its Redis is
	 * @param console the context of the web server
	 */
	Source(SourceSettings settings, ApplicationContext console) {
		this.settings = settings;
		this.console = console;
	}

	String name() {
		return this.settings.name();
	}

	/**
	 * Begins to connect.
	 */
	void start() {
		Thread thread = new Thread(this::connectAtLast, "redelay-source-" + name());
		thread.setDaemon(true);
		thread.start();
	}

	private void connectAtLast() {
		Duration pause = FIRST_PAUSE;
		String logged = "";
		try {
			while (!isClosing(Duration.ZERO)) {
				String reason = tryToConnect();
				if (reason == null || isClosing(Duration.ZERO)) {
					return;
				}
				this.failure = reason;
				if (!reason.equals(logged)) {
					logger.warn("The source '" + name() + "' is not connected, which is tried again: " + reason);
					logged = reason;
				}
				if (isClosing(pause)) {
					return;
				}
				pause = pause.multipliedBy(2);
				pause = (pause.compareTo(LONGEST_PAUSE) < 0) ? pause : LONGEST_PAUSE;
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private boolean isClosing(Duration patience) throws InterruptedException {
		return this.closing.await(patience.toMillis(), TimeUnit.MILLISECONDS);
	}

	/**
	 * Connects, and returns why it could not, or {@code null}.
	 */
	private @Nullable String tryToConnect() throws InterruptedException {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		try {
			context.setDisplayName("source " + name());
			context.setEnvironment(environment());
			context.register(SourceConfiguration.class);
			context.refresh();
			this.connected = new Connected(context, endpoints(context));
		}
		catch (RuntimeException | Error ex) {
			context.close();
			logger.debug("The source '" + name() + "' is not connected", ex);
			return this.settings.reason(NestedExceptionUtils.getMostSpecificCause(ex).getMessage());
		}
		if (isClosing(Duration.ZERO)) {
			context.close();
		}
		else {
			logger.info("The source '" + name() + "' is connected");
		}
		return null;
	}

	private StandardEnvironment environment() {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources().forEach((each) -> environment.getPropertySources().remove(each.getName()));
		environment.getPropertySources()
			.addFirst(new MapPropertySource("source", this.settings.toProperties(this.console.getEnvironment())));
		ConfigurationPropertySources.attach(environment);
		environment.setConversionService(new ApplicationConversionService());
		return environment;
	}

	/**
	 * The endpoints that the context of the source has, below its name, without those
	 * operations that change something.
	 */
	private WebMvcEndpointHandlerMapping endpoints(ApplicationContext context) {
		WebEndpointDiscoverer endpoints = new WebEndpointDiscoverer(context,
				new ConversionServiceParameterValueMapper(), EndpointMediaTypes.DEFAULT, List.of(), List.of(),
				context.getBeansOfType(OperationInvokerAdvisor.class).values(), List.of(),
				List.of(OperationFilter.<WebOperation>byAccess((id, byDefault) -> Access.READ_ONLY)));
		WebMvcEndpointHandlerMapping mapping = new WebMvcEndpointHandlerMapping(new EndpointMapping("/" + name()),
				endpoints.getEndpoints(), EndpointMediaTypes.DEFAULT, null,
				new EndpointLinksResolver(endpoints.getEndpoints()), false);
		mapping.setApplicationContext(this.console);
		mapping.afterPropertiesSet();
		return mapping;
	}

	/**
	 * Returns what answers a request for an endpoint of this source.
	 * @return the handler, or {@code null} if nothing is there
	 */
	@Nullable HandlerExecutionChain handler(HttpServletRequest request) throws Exception {
		Connected present = this.connected;
		if (present != null) {
			return present.endpoints().getHandler(request);
		}
		return new HandlerExecutionChain(Refusal.unavailable(
				"The Redis of the source '" + name() + "' is not connected, which is tried again: " + this.failure));
	}

	/**
	 * Counts a request that may wait for Redis.
	 * @return whether it may be carried out; it must {@link #leave()} then
	 */
	boolean enter() {
		return this.requests.tryAcquire();
	}

	void leave() {
		this.requests.release();
	}

	@Override
	public void close() {
		this.closing.countDown();
		Connected present = this.connected;
		if (present != null) {
			present.context().close();
		}
	}

	/**
	 * A source whose context has started.
	 */
	private record Connected(ConfigurableApplicationContext context, WebMvcEndpointHandlerMapping endpoints) {

	}

}
