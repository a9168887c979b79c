package io.redelay.samples.shop.price;

import java.net.URI;
import java.util.List;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Imports of prices over HTTP.
 */
@RestController
@RequestMapping("/imports")
class ImportController {

	private final PriceImport imports;

	ImportController(PriceImport imports) {
		this.imports = imports;
	}

	/**
	 * Takes lines with an item and its price, such as {@code book,42.50}.
	 */
	@PostMapping(consumes = { "text/csv", MediaType.TEXT_PLAIN_VALUE })
	ResponseEntity<Void> start(@RequestParam String email, @RequestBody String csv) {
		List<String> lines = csv.lines().filter((line) -> !line.isBlank()).toList();
		URI location = URI.create("/imports/" + this.imports.start(email, lines));
		return ResponseEntity.accepted().location(location).build();
	}

	/**
	 * There is a result when all lines have ended and that was mailed.
	 */
	@GetMapping("/{id}")
	ImportResult find(@PathVariable String id) {
		return this.imports.find(id);
	}

}
