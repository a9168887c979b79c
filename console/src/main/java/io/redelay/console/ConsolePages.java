package io.redelay.console;

import java.io.IOException;
import java.net.URI;
import java.security.Principal;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.redelay.queue.actuate.DashboardEndpoint;
import io.redelay.queue.actuate.EndpointRights;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.util.MimeType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * The overview of all sources, and the page of each. The pages need no Redis: one whose
 * source is away says so.
 */
@RestController
final class ConsolePages {

	/**
	 * The path of the overview's files, which no source can have for its name.
	 */
	static final String FILES = "/-/";

	/**
	 * Where these files are: its own ones, and those that it has in common with the page.
	 */
	static final String LOCATIONS = "classpath:/io/redelay/console/page/,classpath:/io/redelay/queue/actuate/dashboard/";

	private static final MediaType HTML = MediaType.parseMediaType("text/html;charset=UTF-8");

	private final Sources sources;

	private final EndpointRights rights;

	ConsolePages(Sources sources, Environment environment) {
		this.sources = sources;
		Binder properties = Binder.get(environment);
		this.rights = new EndpointRights(Access.READ_ONLY, List.of(),
				properties.bind("management.endpoint.queues.show-payloads", Show.class).orElse(Show.NEVER),
				properties.bind("management.endpoint.queues.payload-roles", Bindable.setOf(String.class))
					.orElseGet(Set::of));
	}

	@GetMapping("/")
	ResponseEntity<Resource> overview() {
		return html(new ClassPathResource("page/console.html", ConsolePages.class));
	}

	@GetMapping(FILES + "sources")
	Map<String, Object> sources() {
		return Map.of("sources", this.sources.names());
	}

	@GetMapping("/{source}")
	ResponseEntity<Void> besidePage(@PathVariable String source) {
		return redirect(source, source + "/redelay");
	}

	@GetMapping("/{source}/")
	ResponseEntity<Void> abovePage(@PathVariable String source) {
		return redirect(source, "redelay");
	}

	@GetMapping("/{source}/redelay")
	ResponseEntity<String> page(@PathVariable String source) throws IOException {
		return html(dashboard(source).page());
	}

	@GetMapping("/{source}/redelay/{file}")
	ResponseEntity<Object> file(@PathVariable String source, @PathVariable String file, HttpServletRequest request) {
		WebEndpointResponse<Object> response = dashboard(source).file(new User(request), file);
		MimeType type = response.getContentType();
		ResponseEntity.BodyBuilder builder = ResponseEntity.status(response.getStatus());
		if (type != null) {
			builder.contentType(MediaType.asMediaType(type));
		}
		if (!file.equals("config")) {
			builder.cacheControl(CacheControl.noCache());
		}
		return builder.body(response.getBody());
	}

	private static <T> ResponseEntity<T> html(T page) {
		return ResponseEntity.ok().contentType(HTML).cacheControl(CacheControl.noCache()).body(page);
	}

	/**
	 * To an address relative to that of the request, which holds behind any prefix.
	 */
	private ResponseEntity<Void> redirect(String source, String target) {
		check(source);
		return ResponseEntity.status(HttpStatus.FOUND).location(URI.create(target)).build();
	}

	private DashboardEndpoint dashboard(String source) {
		check(source);
		List<Map<String, String>> all = this.sources.names()
			.stream()
			.map((name) -> Map.of("name", name, "page", "../" + name + "/redelay"))
			.toList();
		return new DashboardEndpoint(() -> new PathMappedEndpoints("/", List.of()), this.rights,
				Map.of("source", source, "overview", "../", "sources", all));
	}

	private void check(String source) {
		if (!this.sources.names().contains(source)) {
			throw new ResponseStatusException(HttpStatus.NOT_FOUND);
		}
	}

	/**
	 * The user of a request.
	 */
	private record User(HttpServletRequest request) implements SecurityContext {

		@Override
		public @Nullable Principal getPrincipal() {
			return this.request.getUserPrincipal();
		}

		@Override
		public boolean isUserInRole(String role) {
			return this.request.isUserInRole(role);
		}

	}

}
