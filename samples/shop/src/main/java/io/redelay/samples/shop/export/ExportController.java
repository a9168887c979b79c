package io.redelay.samples.shop.export;

import java.net.URI;
import java.util.UUID;

import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * Exports of orders over HTTP.
 */
@RestController
@RequestMapping("/exports")
class ExportController {

	private final OrderExport export;

	ExportController(OrderExport export) {
		this.export = export;
	}

	@PostMapping
	ResponseEntity<ExportStatus> start() {
		String id = this.export.start();
		return ResponseEntity.accepted().location(URI.create("/exports/" + id)).body(this.export.find(id));
	}

	@GetMapping("/{id}")
	ExportStatus find(@PathVariable UUID id) {
		return this.export.find(id.toString());
	}

	/**
	 * There is a file when the export is done.
	 */
	@GetMapping(path = "/{id}/file", produces = "text/csv")
	Resource file(@PathVariable UUID id) {
		return new FileSystemResource(this.export.file(id.toString()));
	}

	@DeleteMapping("/{id}")
	@ResponseStatus(HttpStatus.ACCEPTED)
	void cancel(@PathVariable UUID id) {
		this.export.cancel(id.toString());
	}

}
