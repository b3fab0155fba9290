// SPDX-License-Identifier: Apache-2.0

// What browsers have and TypeScript 4.8 does not know.

declare class OffscreenCanvas extends EventTarget {
  constructor(width: number, height: number);
  width: number;
  height: number;
  getContext(kind: '2d', options?: { alpha?: boolean }): OffscreenCanvasRenderingContext2D | null;
  transferToImageBitmap(): ImageBitmap;
}

interface OffscreenCanvasRenderingContext2D
  extends CanvasState, CanvasTransform, CanvasCompositing, CanvasImageSmoothing, CanvasFillStrokeStyles, CanvasShadowStyles, CanvasRect,
    CanvasDrawPath, CanvasText, CanvasTextDrawingStyles, CanvasPath {
  drawImage(image: ImageBitmap | OffscreenCanvas, x: number, y: number, width: number, height: number): void;
  drawImage(
    image: ImageBitmap | OffscreenCanvas, sourceX: number, sourceY: number, sourceWidth: number, sourceHeight: number,
    x: number, y: number, width: number, height: number,
  ): void;
}
